import { ManifestConflict, messageOf } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import { chooseRuns } from '../choose-runs-to-merge.ts';
import type { Upkeep } from '../port.ts';
import { createMaintenanceFile } from './file/maintenance-file.ts';
import { isDamage } from './file/damage-error.ts';
import { RunFileMissing } from './file/run-opener.ts';
import type { Sets } from './sets/sets.ts';

export interface CompactionDependencies {
  readonly directory: string;
  readonly records: Pick<Records, 'manifest' | 'runFiles' | 'inTransaction'>;
  readonly sets: Sets;
}

/** Runs of one segment that become one. */
type Merge = readonly Run[];

/** What goes into one file and one transaction, so that small runs do not cost an fsync each. */
const devicesPerFile = 4_000_000;

export function createCompaction(deps: CompactionDependencies): Upkeep['compact'] {
  const { manifest, runFiles } = deps.records;

  async function rewriteAll(merges: readonly Merge[], signal: AbortSignal): Promise<Rewritten> {
    const rewritten: Rewritten = { runs: 0, conflicts: 0, damaged: [] };
    for (const some of inFiles(merges)) await rewriteSome(some, rewritten, signal);
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
      if (!isDamage(error)) throw error;
      if (merges.length === 1) rewritten.damaged.push(messageOf(error));
      // Each by itself, so that it keeps no other from being rewritten.
      else for (const merge of merges) await rewriteSome([merge], rewritten, signal);
    }
  }

  return async ({ rewriteAfterSeconds, crowdedAbove = 10 }, signal) => {
    // First, for there is a time by which what was deleted has to be gone.
    const files = await runFiles.withDeleted(rewriteAfterSeconds);
    const leftInFiles = files.flatMap((runs) => [
      ...Map.groupBy(runs, ({ segmentId }) => segmentId).values(),
    ]);
    const rewritten = await rewriteAll(leftInFiles, signal);
    const crowded = await manifest.crowded(crowdedAbove);
    const choices = crowded.map(chooseRuns).filter((runs) => runs.length > 0);
    const merged = await rewriteAll(choices, signal);
    return {
      mergedRuns: merged.runs,
      rewrittenRuns: rewritten.runs,
      conflicts: merged.conflicts + rewritten.conflicts,
      damaged: [...new Set([...rewritten.damaged, ...merged.damaged])],
    };
  };
}

interface Rewritten {
  runs: number;
  conflicts: number;
  readonly damaged: string[];
}

/** Writes runs anew, in the place of those they are made of. */
async function rewrite(
  { directory, records, sets }: CompactionDependencies,
  merges: readonly Merge[],
  signal: AbortSignal,
): Promise<'rewritten' | 'conflict'> {
  const { runFiles } = records;
  await using file = createMaintenanceFile({ directory, runFiles, kind: 'compaction' });
  try {
    for (const runs of merges) {
      await using held = new AsyncDisposableStack();
      const take = await sets.open(async () => runs, held);
      await file.write(runs[0]!.segmentId, devicesOf(sets.gather({ take }, signal)), signal);
    }
  } catch (error) {
    // Somebody replaced the run and the sweep was quick; or the file is damaged, which its readers report.
    if (error instanceof RunFileMissing || error instanceof ManifestConflict) return 'conflict';
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

async function* devicesOf(
  batches: AsyncIterable<{ devices: Uint32Array }>,
): AsyncGenerator<Uint32Array> {
  for await (const { devices } of batches) yield devices;
}

function* inFiles(merges: readonly Merge[]): Generator<Merge[]> {
  let some: Merge[] = [];
  let devices = 0;
  for (const merge of merges) {
    const more = merge.reduce((sum, run) => sum + run.devices, 0);
    if (some.length > 0 && devices + more > devicesPerFile) {
      yield some;
      some = [];
      devices = 0;
    }
    some.push(merge);
    devices += more;
  }
  if (some.length > 0) yield some;
}
