import type { DiskReserve } from '../../domain/disk-reserve.ts';
import { isStorageFull, ManifestConflict } from '../../domain/errors.ts';
import type { DamagedRuns } from '../../records/warehouse/damaged-runs.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import type { StagedProfile } from '../../records/warehouse/profiles.ts';
import type { RunFiles } from '../../records/warehouse/run-files.ts';
import type { FoldChange, PendingFold, UniverseRecord } from '../../records/warehouse/universe.ts';
import { createExclusiveFold } from '../exclusive-fold.ts';
import { type FoldedUniverse, RunsRemoved } from '../port.ts';
import { deserveProfile } from '../rewrite-profiles.ts';
import { damagedPlace } from './file/damage-error.ts';
import { createMaintenanceFile, type MaintenanceFile } from './file/maintenance-file.ts';
import type { OpenedRun } from './file/run-opener.ts';
import type { Gathered, LivingNumbers } from './sets/gather-range.ts';
import { devicesIn, type Sets } from './sets/sets.ts';
import { writeTemporaryRuns } from './temporary-runs.ts';
import { withoutDamagedRuns } from './without-damaged-runs.ts';
import { writeProfiles } from './write-profiles.ts';

export interface UniverseFoldDependencies {
  readonly directory: string;
  readonly universe: UniverseRecord;
  readonly damagedRuns: Pick<DamagedRuns, 'setAside'>;
  readonly runFiles: Pick<RunFiles, 'register' | 'renew'>;
  readonly sets: Sets;
  readonly reserve: DiskReserve;
  readonly profiledFrom?: number | undefined;
}

export function createUniverseFold(
  deps: UniverseFoldDependencies,
): (signal: AbortSignal) => Promise<FoldedUniverse> {
  return createExclusiveFold(
    deps.universe,
    (signal) => withoutDamagedRuns(deps.damagedRuns, () => fold(deps, signal)),
    (error) => error instanceof ManifestConflict || error instanceof RunsRemoved,
  );
}

async function fold(deps: UniverseFoldDependencies, signal: AbortSignal): Promise<FoldedUniverse> {
  await using held = new AsyncDisposableStack();
  const { pending, runs } = await openPending(deps, held);
  const { segmentId, version, changes } = pending;
  if (changes.length === 0) return { segmentId, version, folded: 0 };
  const file = held.use(createMaintenanceFile({ ...deps, kind: 'universe' }));
  const own = runs(pending.runs);

  const profiles = deserveProfile(deps, pending.bare)
    ? await writeProfiles(deps, runs(pending.bare), held, signal).catch(noneIfStorageFull)
    : [];
  const take = await withProfiles(deps, pending, profiles, runs, held);
  const newDevices = deps.sets.gather({ take, without: own }, signal);
  await file.write(segmentId, devicesIn(newDevices), signal);
  const drop = await removeOrphans(deps, file, pending, runs, held, signal);
  const change = { add: await file.finish(), drop };
  return {
    segmentId,
    version: await commit(deps.universe, pending, { ...change, profiles }, file),
    folded: changes.length,
  };
}

/** The fold goes on without profiles, because deleted data frees space only after it. */
function noneIfStorageFull(error: unknown): StagedProfile[] {
  if (!isStorageFull(error)) throw error;
  return [];
}

type RunsOf = (runs: readonly Run[]) => OpenedRun[];

/** The added runs, or instead of them their profiles, which hold the same devices, each once. */
async function withProfiles(
  { sets }: UniverseFoldDependencies,
  { added }: PendingFold,
  profiles: readonly StagedProfile[],
  runs: RunsOf,
  held: AsyncDisposableStack,
): Promise<readonly OpenedRun[]> {
  if (profiles.length === 0) return runs(added);
  const numbered = new Set(profiles.flatMap(({ sources }) => sources.map(({ runId }) => runId)));
  const others = runs(added.filter(({ runId }) => !numbered.has(runId)));
  const staged = profiles.map(({ run }) => ({ ...run, runId: 0, segmentId: 0 }));
  return [...(await sets.open(async () => staged, held)), ...others];
}

/** The pending changes, with all runs opened except the dropped ones. */
async function openPending(
  { universe, sets }: UniverseFoldDependencies,
  held: AsyncDisposableStack,
): Promise<{ pending: PendingFold; runs: RunsOf }> {
  let pending: PendingFold | undefined;
  const opened = await sets.open(async () => {
    pending = await universe.pending();
    const { added, runs, attributeRuns, profiles } = pending;
    const all = [...added, ...runs, ...attributeRuns, ...profiles.map(({ run }) => run)];
    return [...new Map(all.map((run) => [run.runId, run])).values()];
  }, held);
  const byId = new Map(opened.map((opened) => [opened.run.runId, opened]));
  return { pending: pending!, runs: (runs) => runs.map(({ runId }) => byId.get(runId)!) };
}

/** Rewrites the universe's runs that hold orphans, and returns the runs to drop. */
async function removeOrphans(
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
  const { orphans, perRun } = await findOrphans(deps, pending, runs, held, signal);
  const drop: Run[] = [];
  for (const [i, run] of own.entries()) {
    if (perRun[i] === 0) continue;
    drop.push(run.run);
    const left = sets.gather({ take: [run], without: orphans }, signal);
    if (perRun[i]! < run.run.devices) await file.write(pending.segmentId, devicesIn(left), signal);
  }
  return drop;
}

/** Devices of the universe that no attribute has any more. */
interface Orphans {
  readonly orphans: readonly OpenedRun[];
  /** How many of them each of the universe's runs holds. */
  readonly perRun: readonly number[];
}

/**
 * Checks only the devices of dropped runs. If a dropped run is no longer readable, it checks the
 * whole universe; otherwise that run would block every later fold.
 */
async function findOrphans(
  deps: UniverseFoldDependencies,
  pending: PendingFold,
  runs: RunsOf,
  held: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Orphans> {
  const { sets } = deps;
  const own = runs(pending.runs);
  const without = runs(pending.attributeRuns);
  const withoutProfiled: LivingNumbers[] = [];
  for (const { run, numbers, alive } of pending.profiles) {
    const { open } = await sets.profiles.withLists(runs([run])[0]!, numbers);
    const isAlive = new Uint8Array(numbers);
    for (const number of alive) isAlive[number] = 1;
    withoutProfiled.push({ profile: open, isAlive });
  }
  async function findAmong(take: readonly OpenedRun[]): Promise<Orphans> {
    const perRun = own.map(() => 0);
    const found = counting(
      sets.gather({ take, within: own, without, withoutProfiled }, signal),
      perRun,
    );
    return { orphans: await writeTemporaryRuns(deps, found, held, signal), perRun };
  }
  try {
    return await findAmong(await sets.open(async () => pending.dropped, held));
  } catch (error) {
    const place = damagedPlace(error);
    if (!pending.dropped.some(({ file }) => file === place?.file)) throw error;
    return await findAmong(own);
  }
}

async function commit(
  universe: UniverseRecord,
  pending: PendingFold,
  change: FoldChange,
  file: MaintenanceFile,
): Promise<number> {
  try {
    return await universe.commit(pending, change);
  } catch (error) {
    // After any other failure the commit may have succeeded, so the file is left to the sweep.
    if (error instanceof ManifestConflict) await file.remove();
    throw error;
  }
}

/** Passes the devices on, and adds the number that each run holds to its count. */
async function* counting(
  batches: AsyncIterable<Gathered>,
  counts: number[],
): AsyncGenerator<Uint32Array> {
  for await (const { devices, held } of batches) {
    for (const [i, count] of held.entries()) counts[i]! += count;
    yield devices;
  }
}
