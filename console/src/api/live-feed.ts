import { type Problem, problemOfResponse } from './problem.ts';

export type Connection = 'connecting' | 'live' | 'lost';

export interface LiveFeedListener {
  /** Returns false after the last event; otherwise a stream that ends is opened again. */
  onData(data: unknown): boolean;
  onConnection(connection: Connection): void;
  onProblem(problem: Problem | undefined): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Follows an event stream until the returned function is called. It disconnects while the tab is
 * hidden, because all tabs share the browser's six connections to a server.
 */
export function followLiveFeed(path: string, event: string, listener: LiveFeedListener) {
  const stopped = new AbortController();
  let source: EventSource | undefined;
  let retry: number | undefined;
  let pauseMs = firstPauseMs;

  function open(): void {
    close();
    listener.onConnection('connecting');
    source = new EventSource(path);
    source.addEventListener('open', () => {
      pauseMs = firstPauseMs;
      listener.onConnection('live');
      listener.onProblem(undefined);
    });
    source.addEventListener(event, ({ data }) => {
      if (!listener.onData(JSON.parse(data))) stop();
    });
    source.addEventListener('error', ({ currentTarget }) => {
      listener.onConnection('lost');
      // The browser reconnects by itself after a broken connection, but not after an error response.
      if (source === currentTarget && source?.readyState === EventSource.CLOSED) {
        void retryLater(source);
      }
    });
  }

  async function retryLater(failed: EventSource): Promise<void> {
    const problem = await problemAt(path, stopped.signal);
    // It was closed or opened again in the meantime.
    if (source !== failed) return;
    listener.onProblem(problem);
    if (problem !== undefined && isFinal(problem)) return;
    const seconds = problem?.retryAfterSeconds;
    retry = window.setTimeout(open, seconds === undefined ? pauseMs : seconds * 1_000);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }

  function close(): void {
    window.clearTimeout(retry);
    source?.close();
    source = undefined;
  }

  function stop(): void {
    stopped.abort();
    close();
  }

  document.addEventListener(
    'visibilitychange',
    () => (document.visibilityState === 'visible' ? open() : close()),
    { signal: stopped.signal },
  );
  if (document.visibilityState === 'visible') open();
  return stop;
}

/** An EventSource hides the error response, so request the same path without streaming. */
async function problemAt(path: string, signal: AbortSignal): Promise<Problem | undefined> {
  try {
    const response = await fetch(path, { headers: { accept: 'application/json' }, signal });
    if (response.ok) return undefined;
    return problemOfResponse(response, await response.json().catch(() => undefined));
  } catch {
    return undefined;
  }
}

/** Whether a retry is pointless. */
function isFinal({ status }: Problem): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
