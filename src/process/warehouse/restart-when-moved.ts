import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Work with the device sets in one place. */
export interface PlacedWork extends AsyncDisposable {
  /** Resolves when the device sets are in another place. */
  readonly moved: Promise<unknown>;
}

const retryMs = 1_000;

/**
 * Starts work, and starts it again in the new place each time the device sets were moved. Its jobs are
 * released meanwhile, as at a shutdown.
 */
export async function restartWhenMoved(
  start: () => Promise<PlacedWork>,
  log: Logger,
): Promise<AsyncDisposable> {
  let work: PlacedWork | undefined = await start();
  const stopping = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(), { once: true });
  });

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.race([work?.moved, stopped]);
      if (stopping.signal.aborted) return;
      if (work) log.info('device sets were moved: the worker continues in the new place');
      await work?.[Symbol.asyncDispose]();
      work = await start().catch(async (error) => {
        log.error({ err: error }, 'the new place of the device sets cannot be used');
        await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => {});
        return undefined;
      });
    }
  }

  const following = follow();
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await following;
      await work?.[Symbol.asyncDispose]();
    },
  };
}
