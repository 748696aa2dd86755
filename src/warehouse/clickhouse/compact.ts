import { ManifestConflict } from '../../domain/errors.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import { chooseRuns } from '../compact-choice.ts';
import type { Upkeep } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { devicesByRun, withMaintenanceBatch } from './rows/batches.ts';
import { runId } from './rows/run-ids.ts';
import { devicesIn, numbered, runNumbered, stagedRun, within } from './rows/sql.ts';

/** What goes into one batch and one transaction. */
const devicesPerBatch = 50_000_000;
const mergesPerBatch = 10_000;

/**
 * Merges runs of segments that have many. The server merges its files by itself; this is for the
 * manifest, and for the lists of runs in queries, which are to stay short.
 */
export function createCompaction(engine: Engine): Upkeep['compact'] {
  return async ({ crowdedAbove = 10 }, signal) => {
    const crowded = await engine.records.manifest.crowded(crowdedAbove);
    const merges = crowded.map(chooseRuns).filter((runs) => runs.length > 0);
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
        else if (error instanceof Damage) {
          damaged.push(error.message);
          // It keeps no others from being merged.
          const others = some.filter((runs) => runs !== error.runs);
          if (others.length > 0) batches.push(others);
        } else throw error;
      }
    }
    return { mergedRuns, rewrittenRuns: 0, conflicts, damaged };
  };
}

/** Each list of runs becomes one. */
async function merge(
  { cluster, records }: Engine,
  merges: readonly (readonly Run[])[],
  signal: AbortSignal,
): Promise<void> {
  const options = { signal, timeoutMs: longTimeoutMs };
  const drop = merges.flat();
  const numbers = merges.flatMap((runs, i) => runs.map(() => i));
  await withMaintenanceBatch({ cluster, runFiles: records.runFiles }, async (batch) => {
    await cluster.onEach((shard) =>
      shard.execute(
        `insert into run_device (run_id, device)
        select ${runNumbered(batch, numbered(drop, numbers))}, device from run_device
        where ${within(drop)}`,
        options,
      ),
    );
    const counts = await devicesByRun(cluster, batch, signal);
    const found = merges.map((_, i) => counts.get(String(runId(batch, i))) ?? 0);
    const add = merges.map((runs, i) => stagedRun(runId(batch, i), runs[0]!.segmentId, found[i]!));
    await records.inTransaction(async (tx) => {
      await tx.manifest.rewrite({ add: add.filter(({ devices }) => devices > 0), drop });
      // Seen to be in the manifest, they should have had them all.
      for (const [i, runs] of merges.entries()) {
        if (found[i] !== devicesIn(runs)) throw new Damage(runs, found[i]!);
      }
    });
  });
}

/** Aborts the commit of a merge. */
class Damage extends Error {
  readonly runs: readonly Run[];

  constructor(runs: readonly Run[], found: number) {
    const { segmentId } = runs[0]!;
    super(
      `the runs of segment ${segmentId} should hold ${devicesIn(runs)} devices, and hold ${found}`,
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
