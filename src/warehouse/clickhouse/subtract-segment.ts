import { ManifestConflict } from '../../domain/errors.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import { groupBySize } from '../group-by-size.ts';
import { neededRuns } from '../needed-runs.ts';
import type { Maintenance, SegmentPart } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { devicesByRun, withMaintenanceBatch } from './rows/batches.ts';
import { requireRuns, withCurrentRuns } from './rows/current-runs.ts';
import { passesOver } from './rows/passes.ts';
import { runId, runIdOf } from './rows/run-ids.ts';
import { devicesIn, runIdExpression, runNumberExpression, stagedRun, within } from './rows/sql.ts';

/** Limits of one batch, which is also one transaction. */
const devicesPerBatch = 50_000_000;
const runsPerBatch = 10_000;

/**
 * Looks for the devices in all runs, and rewrites the runs that contain any. Runs that other work replaced
 * meanwhile are looked at again. Loads add no such device, so it ends when all runs of one moment are
 * without them.
 */
export function createSubtract(engine: Engine): Maintenance['subtract'] {
  const { suppression } = engine.records;
  return async (removed, signal) => {
    const done = { memberships: 0, rewrittenRuns: 0, conflicts: 0 };

    async function clean(part: 'others' | 'universe'): Promise<void> {
      const examined = new Set<number>();
      for (let conflicts = -1; conflicts !== done.conflicts; ) {
        conflicts = done.conflicts;
        const { runs } = await suppression.runsToClean(part);
        const left = runs.filter((run) => !examined.has(run.runId));
        for (const some of inBatches(left)) {
          const held = await findHeld(engine, removed, some, signal);
          const holding = some.filter((run) => held.has(run));
          for (const run of some) if (!held.has(run)) examined.add(run.runId);
          if (holding.length === 0) continue;
          if (await rewrite(engine, removed, held, signal)) {
            done.rewrittenRuns += held.size;
            for (const count of held.values()) done.memberships += count;
          } else done.conflicts++;
        }
      }
    }

    await clean('others');
    // A fold that began before might bring devices back that it read in attributes.
    await suppression.renewUniverse();
    const before = done.rewrittenRuns;
    await clean('universe');
    if (done.rewrittenRuns > before) await suppression.renewUniverse();
    return { ...done, isComplete: true };
  };
}

function* inBatches(runs: readonly Run[]): Generator<Run[]> {
  for (const some of groupBySize(runs, ({ devices }) => devices, devicesPerBatch)) {
    for (let at = 0; at < some.length; at += runsPerBatch) yield some.slice(at, at + runsPerBatch);
  }
}

/** How many of the removed devices each run contains; runs without any are left out. */
async function findHeld(
  engine: Engine,
  removed: SegmentPart,
  runs: readonly Run[],
  signal: AbortSignal,
): Promise<Map<Run, number>> {
  const counts = new Map<string, number>();
  await withCurrentRuns(
    engine,
    () => removedRuns(engine, removed),
    async (set) => {
      counts.clear();
      if (set.length === 0) return;
      await requireRuns(engine, runs);
      for (const pass of await passesOver(devicesIn(set), engine)) {
        const found = await engine.cluster.sums(
          `select run_id, count() from run_device where ${within(runs)} and ${pass} and device in (
            select device from run_device where ${within(set)} and ${pass}
          ) group by run_id`,
          { signal, timeoutMs: longTimeoutMs },
        );
        for (const [id, count] of found) counts.set(id, (counts.get(id) ?? 0) + count);
      }
    },
  );
  const held = runs.map((run): [Run, number] => [run, counts.get(String(runIdOf(run))) ?? 0]);
  return new Map(held.filter(([, count]) => count > 0));
}

async function removedRuns({ records }: Engine, removed: SegmentPart): Promise<readonly Run[]> {
  const sources = await records.profiles.sourcesOf([removed.segmentId]);
  return neededRuns([removed], sources)[0]!.runs;
}

/** Writes the runs without the devices and replaces them. False if one of them is gone. */
async function rewrite(
  engine: Engine,
  removed: SegmentPart,
  held: ReadonlyMap<Run, number>,
  signal: AbortSignal,
): Promise<boolean> {
  const { cluster, records } = engine;
  const drop = [...held.keys()];
  const numbers = drop.map((_, i) => i);
  try {
    return await withCurrentRuns(
      engine,
      () => removedRuns(engine, removed),
      (set) =>
        withMaintenanceBatch({ cluster, runFiles: records.runFiles }, async (batch) => {
          await requireRuns(engine, drop);
          for (const pass of await passesOver(devicesIn(set), engine)) {
            const sql = `insert into run_device (run_id, device)
              select ${runIdExpression(batch, runNumberExpression(drop, numbers))}, device
              from run_device where ${within(drop)} and ${pass} and device not in (
                select device from run_device where ${within(set)} and ${pass}
              )`;
            await cluster.onEach((shard) =>
              shard.execute(sql, { signal, timeoutMs: longTimeoutMs }),
            );
          }
          const counts = await devicesByRun(cluster, batch, signal);
          const add = drop.flatMap((run, i) => {
            const devices = counts.get(String(runId(batch, i))) ?? 0;
            // Rows that were swept meanwhile raise no error.
            if (devices !== run.devices - held.get(run)!)
              throw new ManifestConflict('runs were swept');
            return devices > 0 ? [stagedRun(runId(batch, i), run.segmentId, devices)] : [];
          });
          await records.inTransaction((tx) =>
            tx.suppression.commitRemoval({ add, drop }, bySegment(held)),
          );
          return true;
        }),
    );
  } catch (error) {
    if (error instanceof ManifestConflict) return false;
    throw error;
  }
}

function bySegment(held: ReadonlyMap<Run, number>): Map<number, number> {
  const removed = new Map<number, number>();
  for (const [{ segmentId }, count] of held) {
    removed.set(segmentId, (removed.get(segmentId) ?? 0) + count);
  }
  return removed;
}
