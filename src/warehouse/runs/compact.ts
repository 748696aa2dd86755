import type { DiskReserve } from '../../domain/disk-reserve.ts';
import { isStorageFull, ManifestConflict, messageOf } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import { chooseRunsToMerge } from '../choose-runs-to-merge.ts';
import { createExclusiveCompaction } from '../exclusive-compaction.ts';
import { groupBySize } from '../group-by-size.ts';
import { type Maintenance, RunsMissing } from '../port.ts';
import { rewriteProfiles } from '../rewrite-profiles.ts';
import { damagedPlace, isDamageError } from './file/damage-error.ts';
import { createMaintenanceFile } from './file/maintenance-file.ts';
import { devicesIn, type Sets } from './sets/sets.ts';
import { runsPerProfile, writeProfiles } from './write-profiles.ts';

export interface CompactionDependencies {
  readonly directory: string;
  readonly records: Pick<
    Records,
    'manifest' | 'runFiles' | 'damagedRuns' | 'profiles' | 'inTransaction' | 'unlessLocked'
  >;
  readonly sets: Sets;
  readonly reserve: DiskReserve;
  readonly profiledFrom?: number | undefined;
}

/** Runs of one segment that are merged into one. */
type Merge = readonly Run[];

/** Up to this size, merges share a file and a transaction, so that small runs share an fsync. */
const devicesPerFile = 4_000_000;

export function createCompaction(deps: CompactionDependencies): Maintenance['compact'] {
  const { manifest, runFiles } = deps.records;

  async function rewriteAll(merges: readonly Merge[], signal: AbortSignal): Promise<Rewritten> {
    const rewritten: Rewritten = { runs: 0, conflicts: 0, damaged: [] };
    for (const some of groupBySize(merges, countDevices, devicesPerFile)) {
      await rewriteSome(some, rewritten, signal);
    }
    return rewritten;
  }

  async function rewriteSome(
    merges: readonly Merge[],
    rewritten: Rewritten,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const outcome = await rewrite(deps, merges, signal);
      if (outcome === 'conflict') rewritten.conflicts++;
      else rewritten.runs += merges.flat().length;
    } catch (error) {
      if (!isDamageError(error)) throw error;
      if (merges.length === 1) rewritten.damaged.push(messageOf(error));
      // One by one, so that the damaged run does not block the others.
      else for (const merge of merges) await rewriteSome([merge], rewritten, signal);
    }
  }

  return createExclusiveCompaction(deps.records, async (options, signal) => {
    const { rewriteAfterSeconds, crowdedAbove = 10 } = options;
    const unreadable = await checkDamagedRuns(deps, signal);
    // First, because deleted devices must leave the disk by a deadline.
    const files = await runFiles.runsToRewrite(rewriteAfterSeconds);
    const leftInFiles = files.flatMap((runs) => [
      ...Map.groupBy(runs, ({ segmentId }) => segmentId).values(),
    ]);
    const rewritten = await rewriteAll(leftInFiles, signal);
    const crowded = await manifest.crowded(crowdedAbove);
    const choices = crowded.map(chooseRunsToMerge).filter((runs) => runs.length > 0);
    const merged = await rewriteAll(choices, signal);
    const profiles = await rewriteProfiles(
      profileWriting(deps),
      { rewriteAfterSeconds, crowdedAbove },
      signal,
    );
    return {
      mergedRuns: merged.runs + profiles.replaced,
      rewrittenRuns: rewritten.runs,
      conflicts: merged.conflicts + rewritten.conflicts + profiles.conflicts,
      damaged: [...new Set([...unreadable, ...rewritten.damaged, ...merged.damaged])],
    };
  });
}

function profileWriting(deps: CompactionDependencies): Parameters<typeof rewriteProfiles>[0] {
  const { records, sets, profiledFrom } = deps;
  return {
    records,
    profiledFrom,
    runsPerProfile,
    async write(runs, held, signal) {
      const opened = await sets.open(async () => runs, held);
      return await writeProfiles({ ...deps, runFiles: records.runFiles }, opened, held, signal);
    },
    /** A damaged run is set aside. */
    async isUnwritable(error) {
      if (isStorageFull(error)) return true;
      const place = damagedPlace(error);
      if (place) await records.damagedRuns.setAside(place, messageOf(error));
      return place !== undefined;
    },
  };
}

/** Restores the runs that are readable again, and says whose the others are. */
async function checkDamagedRuns(
  { records, sets }: CompactionDependencies,
  signal: AbortSignal,
): Promise<string[]> {
  const unreadable: string[] = [];
  for (const { run, owner } of await records.damagedRuns.list()) {
    try {
      await using held = new AsyncDisposableStack();
      await sets.count(await sets.open(async () => [run], held), signal);
      await records.damagedRuns.restore(run);
    } catch (error) {
      if (!damagedPlace(error)) throw error;
      unreadable.push(`${messageOf(error)} (${owner})`);
    }
  }
  return unreadable;
}

interface Rewritten {
  runs: number;
  conflicts: number;
  readonly damaged: string[];
}

/** Writes the merged runs and replaces the old ones in the manifest. */
async function rewrite(
  { directory, records, sets, reserve }: CompactionDependencies,
  merges: readonly Merge[],
  signal: AbortSignal,
): Promise<'rewritten' | 'conflict'> {
  const { runFiles } = records;
  await using file = createMaintenanceFile({
    directory,
    runFiles,
    reserve,
    kind: 'compaction',
  });
  try {
    for (const runs of merges) {
      await using held = new AsyncDisposableStack();
      const take = await sets.open(async () => runs, held);
      await file.write(runs[0]!.segmentId, devicesIn(sets.gather({ take }, signal)), signal);
    }
  } catch (error) {
    // The run was replaced and its file swept meanwhile. If the file is lost, its readers report it.
    if (error instanceof RunsMissing || error instanceof ManifestConflict) return 'conflict';
    throw error;
  }
  const add = await file.finish();
  try {
    await records.inTransaction((tx) => tx.manifest.rewrite({ add, drop: merges.flat() }));
    return 'rewritten';
  } catch (error) {
    if (!(error instanceof ManifestConflict)) throw error;
    await file.remove();
    return 'conflict';
  }
}

function countDevices(merge: Merge): number {
  return merge.reduce((sum, run) => sum + run.devices, 0);
}
