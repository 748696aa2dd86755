import { TributaryError } from '../../../domain/errors.ts';
import type { Run, StagedRun } from '../../../records/warehouse/manifest.ts';
import { RunsMissing } from '../../port.ts';
import type { Cluster, CountRows } from '../cluster/cluster.ts';
import type { Engine } from '../cluster/engine.ts';
import { ReplicaFault } from '../cluster/replica.ts';
import { longTimeoutMs } from '../cluster/server.ts';
import { runIdOf } from './run-ids.ts';
import { deviceTables, within } from './sql.ts';

const maxAttempts = 10;

/**
 * Runs work on the runs of the manifest, on servers that hold all their rows. The devices of a run that is
 * dropped meanwhile stay for the grace period. Work that took longer may have missed devices; unless all
 * its runs are still in the manifest, it starts over.
 */
export async function withCurrentRuns<R extends readonly Run[], T>(
  { cluster, graceSeconds, records }: Pick<Engine, 'cluster' | 'graceSeconds' | 'records'>,
  readRuns: () => Promise<R>,
  work: (runs: R) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const began = performance.now();
    const runs = await readRuns();
    if (await cluster.holds(rowsOf(runs), countRows)) {
      const outcome = await work(runs);
      await cluster.checkSame();
      const tookSeconds = (performance.now() - began) / 1000;
      if (tookSeconds < graceSeconds || (await areInManifest(records, runs))) return outcome;
    } else if (await areInManifest(records, runs)) {
      throw await cluster.findBehind([...rowsOf(runs).keys()], countRows);
    }
    if (attempt === maxAttempts) {
      throw new TributaryError(
        'unavailable',
        `The warehouse's runs were replaced during each of ${maxAttempts} tries`,
      );
    }
  }
}

/** Throws unless the servers hold all rows of the runs, apart from runs that are no longer in the manifest. */
export async function requireRuns(
  { cluster, records }: Pick<Engine, 'cluster' | 'records'>,
  runs: readonly Run[],
): Promise<void> {
  if (await cluster.holds(rowsOf(runs), countRows)) return;
  const known = await knownRuns(records, runs);
  await requireRows(
    cluster,
    runs.filter(({ runId }) => known.has(runId)),
  );
}

/** Throws unless the servers hold all rows of the runs. */
export async function requireRows(cluster: Cluster, runs: readonly StagedRun[]): Promise<void> {
  const rows = rowsOf(runs);
  if (await cluster.holds(rows, countRows)) return;
  throw await cluster.findBehind([...rows.keys()], countRows);
}

/** Throws if another replica has more rows of the runs than the server in use, which is then set aside. */
export async function refuseBehind(cluster: Cluster, runs: readonly StagedRun[]): Promise<void> {
  const rows = rowsOf(runs);
  if (await cluster.holds(rows, countRows)) return;
  const fault = await cluster.findBehind([...rows.keys()], countRows);
  if (fault instanceof ReplicaFault) throw fault;
}

async function areInManifest(
  records: Pick<Engine['records'], 'manifest'>,
  runs: readonly Run[],
): Promise<boolean> {
  const known = await knownRuns(records, runs);
  return runs.every(({ runId }) => known.has(runId));
}

/** The ids of all runs that the segments of the runs now have. */
async function knownRuns(
  { manifest }: Pick<Engine['records'], 'manifest'>,
  runs: readonly Run[],
): Promise<Set<number>> {
  const segmentIds = new Set(runs.map(({ segmentId }) => segmentId));
  const now = await manifest.runsOf([...segmentIds]);
  return new Set(now.map(({ runId }) => runId));
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
    const fault = await cluster.findBehind([String(runIdOf(run))], countRows);
    if (fault instanceof ReplicaFault) throw fault;
    throw new RunsMissing(
      `a staged run was swept: ${found} of its ${run.devices} devices are left`,
    );
  }
}

/** How many rows each run has, by its id. */
function rowsOf(runs: readonly StagedRun[]): Map<string, number> {
  return new Map(runs.map((run) => [String(runIdOf(run)), run.devices]));
}

/** Reads one column of the rows. */
const countRows: CountRows = (server, ids) => {
  const rows = deviceTables.map(
    (table) => `select run_id from ${table} where run_id in (${ids.join(', ')})`,
  );
  return server.select(
    `select run_id, count() from (${rows.join(' union all ')}) group by run_id`,
    {
      timeoutMs: longTimeoutMs,
    },
  );
};
