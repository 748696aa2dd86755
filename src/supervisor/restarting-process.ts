import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface RunningProcess {
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

export interface RestartingProcess<T extends RunningProcess> extends AsyncDisposable {
  readonly first: T;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;
/** A process that ran this long was healthy: the next pause is the shortest again. */
const healthyMs = 30_000;

/**
 * Starts a process and restarts it whenever it exits, after a pause that doubles each time. Throws
 * if the first start fails. Disposing stops the process for good.
 */
export async function keepRunning<T extends RunningProcess>(
  name: string,
  start: () => Promise<T>,
  log: Logger,
): Promise<RestartingProcess<T>> {
  const first = await start();
  const stopping = new AbortController();
  let current: RunningProcess = first;
  const ended = restartUntilStopped();

  async function restartUntilStopped(): Promise<void> {
    let pauseMs = firstPauseMs;
    let startedAt = Date.now();
    for (;;) {
      await current.exited;
      if (stopping.signal.aborted) return;
      if (Date.now() - startedAt > healthyMs) pauseMs = firstPauseMs;
      log.error({ process: name, pauseMs }, 'process exited, restarting');
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      startedAt = Date.now();
      await start().then(
        (restarted) => {
          current = restarted;
        },
        (error) => log.error({ process: name, err: error }, 'process failed to start'),
      );
    }
  }

  return {
    first,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await current.stop();
      await ended;
      // Disposed during a restart: this ends the new process.
      await current.stop();
    },
  };
}
