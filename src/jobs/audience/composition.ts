import { saveComposition } from '../../actions/save-composition.ts';
import type { CompositionBasis, CompositionCounts } from '../../records/audiences/compositions.ts';
import type { Records } from '../../records/records.ts';
import type { StagedRun } from '../../records/warehouse/manifest.ts';
import { RunsMissing, type Warehouse } from '../../warehouse/port.ts';
import type { FoldWait } from './fold-wait.ts';

export interface CompositionDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse;
  readonly waitForFold: FoldWait;
}

/** What one load added to an audience. */
export interface Appended {
  /** The audience's generation: how often it was cleared before the load. */
  readonly generation: number;
  /** The runs of each commit. */
  readonly commits: readonly (readonly StagedRun[])[];
}

/** The result of an earlier count, with the versions it counted. */
interface Counted {
  readonly segmentVersion: number;
  readonly counted: ReadonlyMap<number, { readonly version: number; readonly devices: number }>;
}

/**
 * If the universe changes during the count, the count is repeated, at most this often. It is not
 * repeated if the universe is out of date anyway.
 */
const maxAttempts = 4;

/**
 * Computes and stores the composition of an audience. If the audience is unchanged, only attributes
 * that changed since the last count are counted. If it only grew by `appended`, unchanged attributes
 * are counted over the appended devices alone. Otherwise every attribute is counted.
 * False if the audience changed or was cleared meanwhile.
 */
export async function refreshComposition(
  deps: CompositionDependencies,
  audienceId: number,
  signal: AbortSignal,
  appended?: Appended,
): Promise<boolean> {
  const { compositions } = deps.records;
  let generation = appended?.generation;
  let before: Counted | null = null;
  for (let attempt = 1; ; attempt++) {
    const isFolded = await deps.waitForFold(signal);
    const basis = await compositions.basis(audienceId);
    generation ??= basis?.generation;
    if (!basis || basis.generation !== generation) return false;
    const commits = appended?.commits ?? [];
    const counts = await count(deps, basis, before ?? basis.last, commits, signal);
    const isLast = attempt === maxAttempts || !isFolded;
    if (await saveComposition(deps.records, basis, counts, { evenIfStale: isLast })) return true;
    if (isLast) return false;
    before = countedOf(basis, counts);
  }
}

async function count(
  { warehouse }: CompositionDependencies,
  basis: CompositionBasis,
  before: Counted | null,
  commits: Appended['commits'],
  signal: AbortSignal,
): Promise<CompositionCounts> {
  const { audience, universe, matched } = basis;
  if (audience.devices === 0) {
    return { matchedDevices: 0, audienceDevices: basis.attributes.map(() => 0) };
  }
  const devicesIn = before
    ? await countUnchanged(warehouse, basis, before, commits, signal)
    : new Map<number, number>();
  const uncounted = basis.attributes
    .filter(({ segmentId, devices }) => devices > 0 && !devicesIn.has(segmentId))
    .map(({ segmentId }) => segmentId);
  if (matched.universeVersion === universe.version) {
    devicesIn.set(universe.segmentId, matched.devices);
  } else {
    uncounted.push(universe.segmentId);
  }
  if (uncounted.length > 0) {
    const counts = await warehouse.overlap({ segmentId: audience.segmentId }, uncounted, signal);
    for (const [i, segmentId] of uncounted.entries()) devicesIn.set(segmentId, counts[i]!);
  }
  return {
    matchedDevices: devicesIn.get(universe.segmentId)!,
    audienceDevices: basis.attributes.map(({ segmentId }) => devicesIn.get(segmentId) ?? 0),
  };
}

/** Counts of unchanged attributes, by segment: the earlier count plus the devices gained since. */
async function countUnchanged(
  warehouse: Warehouse,
  basis: CompositionBasis,
  before: Counted,
  commits: Appended['commits'],
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const none = new Map<number, number>();
  const gained = gainedSince(basis, before, commits);
  const unchanged = basis.attributes.filter(
    ({ segmentId, version, devices }) =>
      devices > 0 && before.counted.get(segmentId)?.version === version,
  );
  if (!gained || unchanged.length === 0) return none;
  const segmentIds = unchanged.map(({ segmentId }) => segmentId);
  try {
    const more =
      gained.length > 0 ? await warehouse.overlap({ staged: gained }, segmentIds, signal) : [];
    return new Map(
      segmentIds.map((segmentId, i) => [
        segmentId,
        before.counted.get(segmentId)!.devices + (more[i] ?? 0),
      ]),
    );
  } catch (error) {
    // A compaction may have replaced the gained runs. Then every attribute is counted again.
    if (!(error instanceof RunsMissing)) throw error;
    return none;
  }
}

/** The runs added since the earlier count; null if the audience changed in any other way. */
function gainedSince(
  { audience }: CompositionBasis,
  { segmentVersion }: Counted,
  commits: Appended['commits'],
): readonly StagedRun[] | null {
  if (segmentVersion === audience.version) return [];
  // Each commit that adds to a segment raises its version by one.
  return segmentVersion + commits.length === audience.version ? commits.flat() : null;
}

function countedOf(basis: CompositionBasis, { audienceDevices }: CompositionCounts): Counted {
  return {
    segmentVersion: basis.audience.version,
    counted: new Map(
      basis.attributes.map(({ segmentId, version }, i) => [
        segmentId,
        { version, devices: audienceDevices[i]! },
      ]),
    ),
  };
}
