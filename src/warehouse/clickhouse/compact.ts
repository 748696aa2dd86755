import { ManifestConflict } from '../../domain/errors.ts';
import type { Run } from '../../records/manifest.ts';
import { chooseRuns } from '../compact-choice.ts';
import type { Upkeep } from '../port.ts';
import { withMaintenanceBatch } from './batches.ts';
import type { Engine } from './engine.ts';
import { placeOf } from './run-ids.ts';
import { longTimeoutMs } from './server.ts';
import { devicesIn, numbered, ofBatch, runNumbered, stagedRun, within } from './sql.ts';

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
    const done = { mergedRuns: 0, rewrittenRuns: 0, conflicts: 0 };
    for (const some of inBatches(merges)) {
      if (await merge(engine, some, signal)) done.mergedRuns += some.flat().length;
      else done.conflicts++;
    }
    return { ...done, damaged: [] };
  };
}

/** Each list of runs becomes one. False if the manifest has changed meanwhile. */
async function merge(
  { cluster, records }: Engine,
  merges: readonly (readonly Run[])[],
  signal: AbortSignal,
): Promise<boolean> {
  const options = { signal, timeoutMs: longTimeoutMs };
  const drop = merges.flat();
  const numbers = merges.flatMap((runs, i) => runs.map(() => i));
  try {
    await withMaintenanceBatch({ cluster, runFiles: records.runFiles }, async (batch) => {
      await cluster.onEach((shard) =>
        shard.execute(
          `insert into run_device (run_id, device)
          select ${runNumbered(batch, numbered(drop, numbers))}, device from run_device
          where ${within(drop)}`,
          options,
        ),
      );
      const counts = await cluster.sums(
        `select run_id, count() from run_device where ${ofBatch(batch)} group by run_id`,
        options,
      );
      const add = [...counts].map(([id, devices]) => {
        const runs = merges[placeOf(BigInt(id)).firstRowGroup]!;
        return stagedRun(BigInt(id), runs[0]!.segmentId, devices);
      });
      if (devicesIn(add) !== devicesIn(drop)) {
        // Somebody replaced a run and the sweep was quick; or devices are lost, which stay to be found.
        throw new ManifestConflict('runs do not hold as many devices as they should');
      }
      await records.inTransaction((tx) => tx.manifest.rewrite({ add, drop }));
    });
    return true;
  } catch (error) {
    if (error instanceof ManifestConflict) return false;
    throw error;
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
