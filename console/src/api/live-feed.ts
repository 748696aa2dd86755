import { type Problem, problemOfResponse } from './problem.ts';

export type Connection = 'connecting' | 'live' | 'lost';

export interface LiveFeedListener {
  /** False says that this was the last: a stream that ends would be asked for again otherwise. */
  onData(data: unknown): boolean;
  onConnection(connection: Connection): void;
  onProblem(problem: Problem | undefined): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/**
 * Follows a stream of the service until it is told to stop. It lets go while the tab is hidden: a
 * browser has six connections to a server, and all its tabs share them.
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
      // The browser itself tries again after a connection that broke, but not after a refusal.
      if (source === currentTarget && source?.readyState === EventSource.CLOSED) {
        void refused(source);
      }
    });
  }

  async function refused(asked: EventSource): Promise<void> {
    const problem = await whyRefused(path, stopped.signal);
    // Let go of meanwhile, or opened anew.
    if (source !== asked) return;
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

/** An event source does not tell why it was refused, so the same is asked for as a plain answer. */
async function whyRefused(path: string, signal: AbortSignal): Promise<Problem | undefined> {
  try {
    const response = await fetch(path, { headers: { accept: 'application/json' }, signal });
    if (response.ok) return undefined;
    return problemOfResponse(response, await response.json().catch(() => undefined));
  } catch {
    return undefined;
  }
}

/** What asking again does not change. */
function isFinal({ status }: Problem): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
