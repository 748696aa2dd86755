import type { DiskReserve } from '../../domain/disk-reserve.ts';
import { ManifestConflict } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import { groupBySize } from '../group-by-size.ts';
import { neededRuns } from '../needed-runs.ts';
import { type Maintenance, RunsMissing, RunsRemoved, type SegmentPart } from '../port.ts';
import { createMaintenanceFile } from './file/maintenance-file.ts';
import type { OpenedRun } from './file/run-opener.ts';
import { devicesIn, type Sets } from './sets/sets.ts';
import { createUnreadableRuns } from './unreadable-runs.ts';

export interface SubtractDependencies {
  readonly directory: string;
  readonly records: Pick<
    Records,
    'runFiles' | 'profiles' | 'damagedRuns' | 'suppression' | 'inTransaction'
  >;
  readonly sets: Sets;
  readonly reserve: DiskReserve;
}

/** Runs that are examined together. The page indexes of this many devices take 3 MB. */
const devicesPerLook = 256_000_000;
const runsPerLook = 5_000;
/** Up to this size, rewritten runs share a file and a transaction. */
const devicesPerFile = 4_000_000;

/** A run, and how many of the removed devices it holds. */
interface HoldingRun {
  readonly run: Run;
  readonly held: number;
}

/**
 * Looks for the devices in all runs, and rewrites the runs that hold any. Runs that other work replaced
 * meanwhile are looked at again. Loads add no such device, so it ends when all runs of one moment are
 * without them.
 */
export function createSubtract(deps: SubtractDependencies): Maintenance['subtract'] {
  const { records } = deps;
  return async (removed, signal) => {
    const done = { memberships: 0, rewrittenRuns: 0, conflicts: 0 };
    const unreadable = createUnreadableRuns(records.damagedRuns);
    let damaged = 0;

    async function clean(part: 'others' | 'universe'): Promise<void> {
      const examined = new Set<number>();
      for (let conflicts = -1; conflicts !== done.conflicts; ) {
        conflicts = done.conflicts;
        const listed = await records.suppression.runsToClean(part);
        damaged = Math.max(damaged, listed.damaged);
        const left = listed.runs.filter(({ runId }) => !examined.has(runId));
        for (const some of inLooks(left)) {
          await unreadable.skipping(() => cleanSome(some.filter(unreadable.isReadable), examined));
        }
      }
    }

    async function cleanSome(runs: readonly Run[], examined: Set<number>): Promise<void> {
      signal.throwIfAborted();
      let holding: HoldingRun[];
      try {
        await using held = new AsyncDisposableStack();
        const set = await openRemoved(deps, removed, held);
        holding = await findHolding(deps, set, runs, held, signal);
      } catch (error) {
        if (!(error instanceof RunsMissing) || !(await wereReplaced(runs))) throw error;
        done.conflicts++;
        return;
      }
      const without = new Set(holding.map(({ run }) => run.runId));
      for (const { runId } of runs) if (!without.has(runId)) examined.add(runId);
      for (const some of groupBySize(holding, ({ run }) => run.devices, devicesPerFile)) {
        if (await rewrite(deps, removed, some, signal)) {
          done.rewrittenRuns += some.length;
          done.memberships += some.reduce((sum, { held }) => sum + held, 0);
        } else done.conflicts++;
      }
    }

    /** Whether one of the runs is gone. Otherwise a file is lost. */
    async function wereReplaced(runs: readonly Run[]): Promise<boolean> {
      const now = await Promise.all(
        (['others', 'universe'] as const).map((part) => records.suppression.runsToClean(part)),
      );
      const known = new Set(now.flatMap((part) => part.runs.map(({ runId }) => runId)));
      return runs.some(({ runId }) => !known.has(runId));
    }

    await clean('others');
    // A fold that began before might bring devices back that it read in attributes.
    await records.suppression.renewUniverse();
    const before = done.rewrittenRuns;
    await clean('universe');
    if (done.rewrittenRuns > before) await records.suppression.renewUniverse();
    return { ...done, isComplete: damaged + unreadable.count === 0 };
  };
}

function* inLooks(runs: readonly Run[]): Generator<Run[]> {
  for (const some of groupBySize(runs, ({ devices }) => devices, devicesPerLook)) {
    for (let at = 0; at < some.length; at += runsPerLook) yield some.slice(at, at + runsPerLook);
  }
}

async function openRemoved(
  { records, sets }: SubtractDependencies,
  removed: SegmentPart,
  held: AsyncDisposableStack,
): Promise<readonly OpenedRun[]> {
  return sets.open(async () => {
    const sources = await records.profiles.sourcesOf([removed.segmentId]);
    return neededRuns([removed], sources)[0]!.runs;
  }, held);
}

async function findHolding(
  { sets }: SubtractDependencies,
  set: readonly OpenedRun[],
  runs: readonly Run[],
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<HoldingRun[]> {
  if (set.length === 0 || runs.length === 0) return [];
  const opened = await sets.open(async () => runs, held);
  const counts = await sets.overlap(
    set,
    opened.map((run) => [run]),
    signal,
  );
  return opened.map(({ run }, i) => ({ run, held: counts[i]! })).filter(({ held }) => held > 0);
}

/** Writes the runs without the devices and replaces them. False if one of them is gone. */
async function rewrite(
  deps: SubtractDependencies,
  removed: SegmentPart,
  holding: readonly HoldingRun[],
  signal: AbortSignal,
): Promise<boolean> {
  const { directory, records, sets, reserve } = deps;
  const { runFiles } = records;
  await using file = createMaintenanceFile({ directory, runFiles, reserve, kind: 'erasure' });
  try {
    await using held = new AsyncDisposableStack();
    const without = await openRemoved(deps, removed, held);
    for (const { run } of holding) {
      await using ofRun = new AsyncDisposableStack();
      const take = await sets.open(async () => [run], ofRun);
      const left = sets.gather({ take, without }, signal);
      await file.write(run.segmentId, devicesIn(left), signal);
    }
  } catch (error) {
    if (error instanceof RunsRemoved || error instanceof ManifestConflict) return false;
    // If the file is lost, the next look finds that out.
    if (error instanceof RunsMissing) return false;
    throw error;
  }
  const add = await file.finish();
  const drop = holding.map(({ run }) => run);
  try {
    await records.inTransaction((tx) =>
      tx.suppression.commitRemoval({ add, drop }, heldBy(holding)),
    );
    return true;
  } catch (error) {
    if (!(error instanceof ManifestConflict)) throw error;
    await file.remove();
    return false;
  }
}

/** By segment, how many devices its runs lose. */
function heldBy(holding: readonly HoldingRun[]): Map<number, number> {
  const removed = new Map<number, number>();
  for (const { run, held } of holding) {
    removed.set(run.segmentId, (removed.get(run.segmentId) ?? 0) + held);
  }
  return removed;
}
