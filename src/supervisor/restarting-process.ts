import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A process under way. */
export interface RunningProcess {
  /** Resolves when it is gone, whether stopped or lost. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

export interface KeptProcess<T extends RunningProcess> extends AsyncDisposable {
  readonly first: T;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;
/** A process that lived this long was healthy: its loss starts the pauses from the beginning. */
const healthyMs = 30_000;

/**
 * Starts a process and starts it again whenever it is lost, after a pause that grows while it
 * keeps being lost. Throws if the first start fails; disposing of it stops it for good.
 */
export async function keepRunning<T extends RunningProcess>(
  name: string,
  start: () => Promise<T>,
  log: Logger,
): Promise<KeptProcess<T>> {
  const first = await start();
  const stopping = new AbortController();
  let current: RunningProcess = first;
  const ended = keep();

  async function keep(): Promise<void> {
    let pauseMs = firstPauseMs;
    let startedAt = Date.now();
    for (;;) {
      await current.exited;
      if (stopping.signal.aborted) return;
      if (Date.now() - startedAt > healthyMs) pauseMs = firstPauseMs;
      log.error({ process: name, pauseMs }, 'process was lost, starting it again');
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      startedAt = Date.now();
      await start().then(
        (restarted) => {
          current = restarted;
        },
        (error) => log.error({ process: name, err: error }, 'process did not start'),
      );
    }
  }

  return {
    first,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await current.stop();
      await ended;
      // Stopped while it was being started again: that one ends here.
      await current.stop();
    },
  };
}
