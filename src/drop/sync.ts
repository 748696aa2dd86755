import { messageOf } from '../domain/errors.ts';
import type { DropCycle } from '../records/privacy/drop-cycles.ts';
import type { Records } from '../records/records.ts';
import { prepareAmendments, releaseAmendments } from './amend.ts';
import type { DropClient } from './client.ts';
import { callDrop } from './session.ts';
import { advanceCycle, type StepDependencies } from './steps.ts';

export interface SyncDependencies extends Omit<StepDependencies, 'onProblem'> {
  readonly records: Pick<
    Records,
    'dropCycles' | 'dropFiles' | 'dropSchedule' | 'unlessLocked' | 'refuseNewerSchema'
  >;
  /** Null without an API key. Archives from the operator are still processed. */
  readonly client: DropClient | null;
  readonly days: number;
  readonly now?: () => Date;
  /** Receives problems that the operator must know, for the log. */
  readonly onProblem?: (problem: string) => void;
}

/** One process at a time works on cycles. */
const dropLock = 'drop';
const daySeconds = 24 * 60 * 60;
const stepRetrySeconds = 5 * 60;

/** Does what can be done now, and returns counts of it. Call it again and again. */
export async function syncDrop(
  deps: SyncDependencies,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  const { records, client, days, now = () => new Date(), onProblem = () => {} } = deps;
  const stepDeps = { ...deps, onProblem };
  await (client ? records.dropSchedule.begin() : records.dropSchedule.end());
  await records.dropSchedule.capTimes(days * daySeconds, daySeconds, stepRetrySeconds);
  const done = await records.unlessLocked(dropLock, underLock, signal);
  return done ?? {};

  async function underLock(locked: AbortSignal): Promise<Record<string, number>> {
    await records.refuseNewerSchema();
    let steps = 0;
    const failures: unknown[] = [];
    for (const cycle of await records.dropCycles.open()) {
      if (cycle.isWaiting) continue;
      const after = await advance(cycle, locked).catch((error) => {
        failures.push(error);
        return cycle;
      });
      if (after.state !== cycle.state) steps += 1;
    }
    await releaseAmendments(deps);
    let calls = 0;
    if (client) {
      const open = (await records.dropCycles.open()).find(({ kind }) => kind === 'api');
      calls = await callDrop({ ...stepDeps, client, now }, open, locked, signal);
    }
    if (failures.length > 0) throw failures[0];
    return { steps, calls };
  }

  async function advance(cycle: DropCycle, locked: AbortSignal): Promise<DropCycle> {
    try {
      const after = await advanceCycle(stepDeps, cycle, locked);
      if (cycle.hasFailed && after.state === cycle.state) {
        await records.dropCycles.recordProblem(cycle.cycleId, null);
      }
      const isAnswered = cycle.state !== 'lifted' && ['lifted', 'accepted'].includes(after.state);
      // The operator uploads them together with the files of this cycle.
      if (cycle.kind === 'manual' && isAnswered) {
        await prepareAmendments(stepDeps, 'manual', locked);
      }
      if (after.state === 'refused') onProblem(after.problem ?? '');
      // Perhaps the transfer was cut, and DROP delivers the archive again.
      if (cycle.kind === 'api' && after.state === 'refused') {
        await records.dropSchedule.hasten(daySeconds);
      }
      return after;
    } catch (error) {
      if (!locked.aborted) {
        const problem = messageOf(error);
        await records.dropCycles.recordProblem(cycle.cycleId, problem, stepRetrySeconds);
      }
      throw error;
    }
  }
}
