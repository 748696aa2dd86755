import type { Logger } from 'pino';
import type { RunningProcess } from '../supervisor/restarting-process.ts';
import { startRole } from '../supervisor/role-process.ts';

/** A worker in a process of its own, for jobs that may kill their worker. */
export interface IsolatedWorker extends AsyncDisposable {
  /** Starts or stops the process. If it died, the next call starts it again. */
  keep(isNeeded: boolean): void;
}

export function createIsolatedWorker(log: Logger): IsolatedWorker {
  const stopping = new AbortController();
  let child: RunningProcess | undefined;
  let changing: Promise<void> | undefined;

  async function start(): Promise<void> {
    const started = await startRole('isolated-worker', null, stopping.signal);
    log.info('isolated worker started');
    child = started;
    started.exited.then(() => {
      log.info('isolated worker ended');
      child = undefined;
    });
  }

  async function stop(): Promise<void> {
    await child?.stop(new AbortController().signal);
  }

  return {
    keep(isNeeded) {
      if (stopping.signal.aborted || changing || isNeeded === (child !== undefined)) return;
      changing = (isNeeded ? start() : stop())
        .catch((error) => {
          if (!stopping.signal.aborted)
            log.error({ err: error }, 'isolated worker failed to start');
        })
        .finally(() => {
          changing = undefined;
        });
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await changing;
      await stop();
    },
  };
}
