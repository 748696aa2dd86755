import { TributaryError } from '../../../domain/errors.ts';
import type { Run, StagedRun } from '../../../records/warehouse/manifest.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { runIdOf } from './run-ids.ts';
import { within } from './sql.ts';

const maxAttempts = 10;

/**
 * Does something with the runs that there are now. The devices of a run that is dropped meanwhile
 * stay for the grace; if that may have been too short, what was found out may be of fewer devices
 * than there were, and all is done over with the runs that there are then.
 */
export async function whileThere<R extends readonly Run[], T>(
  { graceSeconds, records }: Pick<Engine, 'graceSeconds' | 'records'>,
  runsNow: () => Promise<R>,
  work: (runs: R) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const began = performance.now();
    const runs = await runsNow();
    const outcome = await work(runs);
    const tookSeconds = (performance.now() - began) / 1000;
    if (tookSeconds < graceSeconds || (await areAllThere(records, runs))) return outcome;
    if (attempt === maxAttempts) {
      throw new TributaryError('unavailable', 'Runs of the warehouse are replaced all the time');
    }
  }
}

async function areAllThere(
  { manifest }: Pick<Engine['records'], 'manifest'>,
  runs: readonly Run[],
): Promise<boolean> {
  const segmentIds = new Set(runs.map(({ segmentId }) => segmentId));
  const now = await manifest.runsOf([...segmentIds]);
  const known = new Set(now.map(({ runId }) => runId));
  return runs.every(({ runId }) => known.has(runId));
}

/** Throws if devices of runs that the manifest does not vouch for are gone. */
export async function checkStaged(
  { cluster }: Pick<Engine, 'cluster'>,
  staged: readonly StagedRun[],
  signal: AbortSignal,
): Promise<void> {
  if (staged.length === 0) return;
  const counts = await cluster.sums(
    `select run_id, count() from run_device where ${within(staged)} group by run_id`,
    { signal, timeoutMs: longTimeoutMs },
  );
  for (const run of staged) {
    const found = counts.get(String(runIdOf(run))) ?? 0;
    if (found === run.devices) continue;
    throw new Error(`a staged run has ${found} of its ${run.devices} devices: it was swept`);
  }
}
