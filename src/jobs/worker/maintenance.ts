import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A periodic task that runs beside the lanes and never delays one. */
export interface MaintenanceTask {
  readonly name: string;
  readonly everyMs: number;
  /** Returns counts of what it did, which are logged. */
  run(signal: AbortSignal): Promise<Readonly<Record<string, number>>>;
}

export type TaskOutcome = 'succeeded' | 'failed';

/** Receives the outcome of each run of a task, for metrics. */
export type OnTaskEnded = (task: string, outcome: TaskOutcome) => void;

/** Runs each task now and then periodically, until aborted. */
export async function runMaintenance(
  tasks: readonly MaintenanceTask[],
  log: Logger,
  signal: AbortSignal,
  onTaskEnded: OnTaskEnded = () => {},
): Promise<void> {
  await Promise.all(
    tasks.map(async (task) => {
      while (!signal.aborted) {
        const outcome = await runTask(task, log, signal);
        if (outcome) onTaskEnded(task.name, outcome);
        await sleep(task.everyMs, undefined, { signal }).catch(() => {});
      }
    }),
  );
}

/** Undefined if the task was stopped. */
async function runTask(
  task: MaintenanceTask,
  log: Logger,
  signal: AbortSignal,
): Promise<TaskOutcome | undefined> {
  try {
    const outcome = await task.run(signal);
    const didSomething = Object.values(outcome).some((count) => count !== 0);
    log[didSomething ? 'info' : 'debug'](
      { task: task.name, ...outcome },
      'maintenance task finished',
    );
    return 'succeeded';
  } catch (error) {
    if (signal.aborted) return undefined;
    log.warn({ task: task.name, err: error }, 'maintenance task failed');
    return 'failed';
  }
}
