import { ManifestConflict, messageOf } from '../../domain/errors.ts';
import type { ManifestChange, Run } from '../../records/warehouse/manifest.ts';
import type { RunFiles } from '../../records/warehouse/run-files.ts';
import type { PendingFold, UniverseRecord } from '../../records/warehouse/universe.ts';
import { createFoldInTurn } from '../exclusive-fold.ts';
import type { FoldedUniverse } from '../port.ts';
import { createMaintenanceFile, type MaintenanceFile } from './file/maintenance-file.ts';
import { isDamage } from './file/damage-error.ts';
import { type HeldRun, RunFileMissing, RunFileRemoved } from './file/run-opener.ts';
import type { Gathered } from './sets/gather-range.ts';
import { setAside } from './sets/temporary-runs.ts';
import type { Sets } from './sets/sets.ts';

export interface UniverseFoldDependencies {
  readonly directory: string;
  readonly universe: UniverseRecord;
  readonly runFiles: Pick<RunFiles, 'announce' | 'renew'>;
  readonly sets: Sets;
}

export function createUniverseFold(
  deps: UniverseFoldDependencies,
): (signal: AbortSignal) => Promise<FoldedUniverse> {
  return createFoldInTurn(
    deps.universe,
    async (signal) => {
      try {
        return await fold(deps, signal);
      } catch (error) {
        throw isDamage(error) ? cannotFold(error) : error;
      }
    },
    (error) => error instanceof ManifestConflict || error instanceof RunFileRemoved,
  );
}

/** Its runs have to be read, so there is no universe without them. */
function cannotFold(error: unknown): Error {
  const healed = 'once the segment that has the run is cleared or replaced, it can be';
  return new Error(`the universe cannot be brought up to date (${healed}): ${messageOf(error)}`, {
    cause: error,
  });
}

async function fold(deps: UniverseFoldDependencies, signal: AbortSignal): Promise<FoldedUniverse> {
  await using held = new AsyncDisposableStack();
  const { pending, runs } = await openPending(deps, held);
  const { segmentId, version, changes } = pending;
  if (changes.length === 0) return { segmentId, version, folded: 0 };
  const file = held.use(createMaintenanceFile({ ...deps, kind: 'universe' }));
  const own = runs(pending.runs);

  const news = deps.sets.gather({ take: runs(pending.added), without: own }, signal);
  await file.write(segmentId, devicesIn(news), signal);
  const drop = await removeGone(deps, file, pending, runs, held, signal);
  const change = { add: await file.finish(), drop };
  return {
    segmentId,
    version: await commit(deps.universe, pending, change, file),
    folded: changes.length,
  };
}

type RunsOf = (runs: readonly Run[]) => HeldRun[];

/** What is pending now, with all its runs open but for those that were dropped. */
async function openPending(
  { universe, sets }: UniverseFoldDependencies,
  held: AsyncDisposableStack,
): Promise<{ pending: PendingFold; runs: RunsOf }> {
  let pending: PendingFold | undefined;
  const opened = await sets.open(async () => {
    pending = await universe.pending();
    const { added, runs, attributeRuns } = pending;
    const all = [...added, ...runs, ...attributeRuns];
    return [...new Map(all.map((run) => [run.runId, run])).values()];
  }, held);
  const byId = new Map(opened.map((opened) => [opened.run.runId, opened]));
  return { pending: pending!, runs: (runs) => runs.map(({ runId }) => byId.get(runId)!) };
}

/**
 * Writes the universe's runs anew that hold devices which no attribute has any more: the runs that
 * are to go.
 */
async function removeGone(
  deps: UniverseFoldDependencies,
  file: MaintenanceFile,
  pending: PendingFold,
  runs: RunsOf,
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Run[]> {
  const { sets } = deps;
  const own = runs(pending.runs);
  if (pending.dropped.length === 0 || own.length === 0) return [];
  const { gone, lost } = await findGone(deps, pending, runs, held, signal);
  const drop: Run[] = [];
  for (const [i, run] of own.entries()) {
    if (lost[i] === 0) continue;
    drop.push(run.run);
    const left = sets.gather({ take: [run], without: gone }, signal);
    if (lost[i]! < run.run.devices) await file.write(pending.segmentId, devicesIn(left), signal);
  }
  return drop;
}

interface Gone {
  readonly gone: readonly HeldRun[];
  /** How many of them each of the universe's runs holds. */
  readonly lost: readonly number[];
}

/**
 * Devices of the universe that no attribute has. Suspects are only those of runs that were dropped;
 * all of them if such a run cannot be read any more, or it would stand in the way for ever.
 */
async function findGone(
  { directory, sets }: UniverseFoldDependencies,
  pending: PendingFold,
  runs: RunsOf,
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Gone> {
  const own = runs(pending.runs);
  const without = runs(pending.attributeRuns);
  async function findAmong(take: readonly HeldRun[]): Promise<Gone> {
    const lost = own.map(() => 0);
    const found = sets.gather({ take, within: own, without }, signal);
    return { gone: await setAside({ directory, sets }, counting(found, lost), held, signal), lost };
  }
  try {
    return await findAmong(await sets.open(async () => pending.dropped, held));
  } catch (error) {
    if (!isDamage(error) && !(error instanceof RunFileMissing)) throw error;
    return await findAmong(own);
  }
}

async function commit(
  universe: UniverseRecord,
  pending: PendingFold,
  change: ManifestChange,
  file: MaintenanceFile,
): Promise<number> {
  try {
    return await universe.commit(pending, change);
  } catch (error) {
    // Any other failure may have come after the commit, and the file is left to the sweep.
    if (error instanceof ManifestConflict) await file.remove();
    throw error;
  }
}

async function* devicesIn(batches: AsyncIterable<Gathered>): AsyncGenerator<Uint32Array> {
  for await (const { devices } of batches) yield devices;
}

/** The devices, while those of each run are added to its count. */
async function* counting(
  batches: AsyncIterable<Gathered>,
  counts: number[],
): AsyncGenerator<Uint32Array> {
  for await (const { devices, held } of batches) {
    for (const [i, count] of held.entries()) counts[i]! += count;
    yield devices;
  }
}
