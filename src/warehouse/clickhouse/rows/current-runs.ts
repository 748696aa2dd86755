import { TributaryError } from '../../../domain/errors.ts';
import type { Run, StagedRun } from '../../../records/warehouse/manifest.ts';
import { RunsMissing } from '../../port.ts';
import type { Engine } from '../cluster/engine.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { runIdOf } from './run-ids.ts';
import { within } from './sql.ts';

const maxAttempts = 10;

/**
 * Runs work on the runs of the manifest. The devices of a run that is dropped meanwhile stay for the
 * grace period. Work that took longer may have missed devices; unless all its runs are still in the
 * manifest, it starts over.
 */
export async function withCurrentRuns<R extends readonly Run[], T>(
  { graceSeconds, records }: Pick<Engine, 'graceSeconds' | 'records'>,
  readRuns: () => Promise<R>,
  work: (runs: R) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const began = performance.now();
    const runs = await readRuns();
    const outcome = await work(runs);
    const tookSeconds = (performance.now() - began) / 1000;
    if (tookSeconds < graceSeconds || (await areInManifest(records, runs))) return outcome;
    if (attempt === maxAttempts) {
      throw new TributaryError(
        'unavailable',
        `The warehouse's runs were replaced during each of ${maxAttempts} tries`,
      );
    }
  }
}

async function areInManifest(
  { manifest }: Pick<Engine['records'], 'manifest'>,
  runs: readonly Run[],
): Promise<boolean> {
  const segmentIds = new Set(runs.map(({ segmentId }) => segmentId));
  const now = await manifest.runsOf([...segmentIds]);
  const known = new Set(now.map(({ runId }) => runId));
  return runs.every(({ runId }) => known.has(runId));
}

/** Throws if devices of staged runs are gone; the manifest does not list these runs yet. */
export async function checkStagedRuns(
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
    throw new RunsMissing(
      `a staged run was swept: ${found} of its ${run.devices} devices are left`,
    );
  }
}
