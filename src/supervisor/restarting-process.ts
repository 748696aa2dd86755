import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Shutdown } from './shutdown.ts';

export interface RunningProcess {
  /** Resolves when the process has ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** Waits for an orderly end, but kills the process when `forced` aborts. */
  stop(forced: AbortSignal): Promise<void>;
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
 * if the first start fails. Restarts nothing once a shutdown is requested. Disposing stops the
 * process for good. When its signal aborts, `start` ends the process that it has begun, and throws.
 */
export async function keepRunning<T extends RunningProcess>(
  name: string,
  start: (signal: AbortSignal) => Promise<T>,
  shutdown: Shutdown,
  log: Logger,
): Promise<RestartingProcess<T>> {
  const first = await start(shutdown.requested);
  const disposed = new AbortController();
  const stopping = AbortSignal.any([shutdown.requested, disposed.signal]);
  const stopped = new Promise((resolve) => stopping.addEventListener('abort', resolve));
  let current: RunningProcess = first;
  const ended = restartUntilStopped();

  async function restartUntilStopped(): Promise<void> {
    let pauseMs = firstPauseMs;
    let startedAt = performance.now();
    while (!stopping.aborted) {
      await Promise.race([current.exited, stopped]);
      if (stopping.aborted) return;
      if (performance.now() - startedAt > healthyMs) pauseMs = firstPauseMs;
      log.error({ process: name, pauseMs }, 'process exited, restarting');
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
      if (stopping.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      startedAt = performance.now();
      try {
        current = await start(stopping);
      } catch (error) {
        if (stopping.aborted) return;
        log.error({ process: name, err: error }, 'process failed to start');
      }
    }
  }

  return {
    first,
    async [Symbol.asyncDispose]() {
      disposed.abort();
      // Waits for a restart that is under way, so that `current` is the last process.
      await ended;
      await current.stop(shutdown.forced);
    },
  };
}
