import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Something done now and then, beside the lanes, that never holds one up. */
export interface MaintenanceTask {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<Record<string, number>>;
}

/** Does each task at once and then again and again, until aborted. */
export async function runMaintenance(
  tasks: readonly MaintenanceTask[],
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    tasks.map(async ({ name, everyMs, run }) => {
      while (!signal.aborted) {
        await run().then(
          (outcome) => log.info({ task: name, ...outcome }, 'maintenance done'),
          (error) => log.warn({ task: name, err: error }, 'maintenance put off'),
        );
        await sleep(everyMs, undefined, { signal }).catch(() => {});
      }
    }),
  );
}
