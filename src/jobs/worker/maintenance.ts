import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A periodic task that runs beside the lanes and never delays one. */
export interface MaintenanceTask {
  readonly name: string;
  readonly everyMs: number;
  /** Returns counts of what it did, which are logged. */
  run(signal: AbortSignal): Promise<Readonly<Record<string, number>>>;
}

/** Runs each task now and then periodically, until aborted. */
export async function runMaintenance(
  tasks: readonly MaintenanceTask[],
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    tasks.map(async (task) => {
      while (!signal.aborted) {
        await runTask(task, log, signal);
        await sleep(task.everyMs, undefined, { signal }).catch(() => {});
      }
    }),
  );
}

async function runTask(task: MaintenanceTask, log: Logger, signal: AbortSignal): Promise<void> {
  try {
    const outcome = await task.run(signal);
    const didSomething = Object.values(outcome).some((count) => count !== 0);
    log[didSomething ? 'info' : 'debug'](
      { task: task.name, ...outcome },
      'maintenance task finished',
    );
  } catch (error) {
    if (!signal.aborted) log.warn({ task: task.name, err: error }, 'maintenance task failed');
  }
}
