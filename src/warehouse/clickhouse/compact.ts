import { ManifestConflict } from '../../domain/errors.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import { chooseRunsToMerge } from '../choose-runs-to-merge.ts';
import { createExclusiveCompaction } from '../exclusive-compaction.ts';
import type { Maintenance } from '../port.ts';
import { rewriteProfiles } from '../rewrite-profiles.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { isServersAnswer } from './cluster/server-faults.ts';
import { devicesByRun, withMaintenanceBatch } from './rows/batches.ts';
import { requireRuns } from './rows/current-runs.ts';
import { runId } from './rows/run-ids.ts';
import { devicesIn, runIdExpression, runNumberExpression, stagedRun, within } from './rows/sql.ts';
import { runsPerProfile, writeProfiles } from './write-profiles.ts';

/** Limits of one batch, which is also one transaction. */
const devicesPerBatch = 50_000_000;
const mergesPerBatch = 10_000;

/**
 * Merges the runs of segments that have many. ClickHouse merges its own files; this keeps the
 * manifest, and the lists of runs in queries, short. Also removes devices of dropped runs from profiles.
 */
export function createCompaction(engine: Engine): Maintenance['compact'] {
  return createExclusiveCompaction(engine.records, async (options, signal) => {
    const { rewriteAfterSeconds, crowdedAbove = 10 } = options;
    const crowded = await engine.records.manifest.crowded(crowdedAbove);
    const merges = crowded.map(chooseRunsToMerge).filter((runs) => runs.length > 0);
    const damaged: string[] = [];
    let mergedRuns = 0;
    let conflicts = 0;
    const batches = [...inBatches(merges)];
    for (let some = batches.shift(); some; some = batches.shift()) {
      try {
        await merge(engine, some, signal);
        mergedRuns += some.flat().length;
      } catch (error) {
        if (error instanceof ManifestConflict) conflicts++;
        else if (error instanceof DamagedRuns) {
          damaged.push(error.message);
          // The other merges of the batch are tried again without it.
          const others = some.filter((runs) => runs !== error.runs);
          if (others.length > 0) batches.push(others);
        } else throw error;
      }
    }
    const profiles = await rewriteProfiles(
      profileWriting(engine),
      { rewriteAfterSeconds, crowdedAbove },
      signal,
    );
    mergedRuns += profiles.replaced;
    conflicts += profiles.conflicts;
    return { mergedRuns, rewrittenRuns: 0, conflicts, damaged };
  });
}

function profileWriting(engine: Engine): Parameters<typeof rewriteProfiles>[0] {
  const { records, profiledFrom } = engine;
  return {
    records,
    profiledFrom,
    runsPerProfile,
    write: (runs, held, signal) => writeProfiles(engine, runs, held, signal),
    // Out of memory, space or time. Reports are slower without a profile.
    isUnwritable: async (error) => isServersAnswer(error),
  };
}

/** Merges each list of runs into one run. */
async function merge(
  engine: Engine,
  merges: readonly (readonly Run[])[],
  signal: AbortSignal,
): Promise<void> {
  const { cluster, records } = engine;
  const options = { signal, timeoutMs: longTimeoutMs };
  const drop = merges.flat();
  await requireRuns(engine, drop);
  const numbers = merges.flatMap((runs, i) => runs.map(() => i));
  await withMaintenanceBatch({ cluster, runFiles: records.runFiles }, async (batch) => {
    await cluster.onEach((shard) =>
      shard.execute(
        `insert into run_device (run_id, device)
        select ${runIdExpression(batch, runNumberExpression(drop, numbers))}, device from run_device
        where ${within(drop)}`,
        options,
      ),
    );
    const counts = await devicesByRun(cluster, batch, signal);
    const found = merges.map((_, i) => counts.get(String(runId(batch, i))) ?? 0);
    const add = merges.map((runs, i) => stagedRun(runId(batch, i), runs[0]!.segmentId, found[i]!));
    await records.inTransaction(async (tx) => {
      await tx.manifest.rewrite({ add: add.filter(({ devices }) => devices > 0), drop });
      // The rewrite has just confirmed that the manifest lists these runs, so no device may be missing.
      for (const [i, runs] of merges.entries()) {
        if (found[i] !== devicesIn(runs)) throw new DamagedRuns(runs, found[i]!);
      }
    });
  });
}

/** Rolls the merge back. */
class DamagedRuns extends Error {
  readonly runs: readonly Run[];

  constructor(runs: readonly Run[], found: number) {
    const { segmentId } = runs[0]!;
    super(
      `the runs of segment ${segmentId} should contain ${devicesIn(runs)} devices but contain ${found}`,
    );
    this.runs = runs;
  }
}

function* inBatches(merges: readonly Run[][]): Generator<Run[][]> {
  let some: Run[][] = [];
  let devices = 0;
  for (const runs of merges) {
    const isFull = devices + devicesIn(runs) > devicesPerBatch || some.length === mergesPerBatch;
    if (some.length > 0 && isFull) {
      yield some;
      some = [];
      devices = 0;
    }
    some.push(runs);
    devices += devicesIn(runs);
  }
  if (some.length > 0) yield some;
}
