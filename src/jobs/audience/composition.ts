import { setImmediate } from 'node:timers/promises';
import { type CountedComposition, saveCompositions } from '../../actions/save-compositions.ts';
import type { Disclosures } from '../../domain/disclosure/disclosure.ts';
import { createFingerprint, type Fingerprint } from '../../domain/disclosure/fingerprint.ts';
import type { CompositionBasis, SegmentOverlap } from '../../records/audiences/compositions.ts';
import type { Records } from '../../records/records.ts';
import type { StagedRun } from '../../records/warehouse/manifest.ts';
import {
  type DeviceSet,
  RunsMissing,
  type SegmentPart,
  type Warehouse,
} from '../../warehouse/port.ts';
import type { FoldWait } from './fold-wait.ts';

export interface CompositionDependencies {
  readonly records: Records;
  readonly warehouse: Warehouse;
  readonly waitForFold: FoldWait;
  readonly disclosures: Disclosures;
}

/** What one load added to an audience. */
export interface Appended {
  /** The audience's generation: how often it was cleared before the load. */
  readonly generation: number;
  /** The runs of each commit. */
  readonly commits: readonly (readonly StagedRun[])[];
}

/** By segment, how many devices of the audience it holds. */
type Counts = Map<number, SegmentOverlap>;

/** The result of an earlier count, with the version of the audience that it counted. */
interface Counted {
  readonly segmentVersion: number;
  readonly counted: ReadonlyMap<number, SegmentOverlap>;
  readonly fingerprint: Fingerprint | null;
}

/** The counts of an audience that are known, and the segments that must still be compared. */
interface Open {
  /** Counts that are still right, or to which the gain is added. */
  readonly known: Counts;
  readonly parts: readonly SegmentPart[];
}

/**
 * If the universe changes during the count, the count is repeated, at most this often. It is not
 * repeated if the universe is out of date anyway.
 */
const maxAttempts = 4;
/** One transaction saves compositions with at most this many counts in total. */
const countsPerSave = 10_000;

/**
 * Computes and stores the composition of an audience. If the audience is unchanged, only what
 * attributes gained or lost since the last count is counted. If it only grew by `appended`, unchanged
 * attributes are counted over the appended devices alone. Otherwise every attribute is counted. False if the
 * audience changed or was cleared meanwhile, or its report waits for the next day.
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
    const basis = (await compositions.bases([audienceId])).get(audienceId);
    generation ??= basis?.generation;
    if (!basis || basis.generation !== generation) return false;
    const commits = appended?.commits ?? [];
    const last = await addGained(deps, basis, before ?? basis.last, commits, signal);
    const [counted] = await countAll(deps, [{ basis, last }], signal);
    const counts = counted!;
    const fingerprint = await fingerprintOf(deps, basis, last, signal);
    const evenIfStale = attempt === maxAttempts || !isFolded;
    const options = { evenIfStale, disclosures: deps.disclosures };
    const composition = { basis, counts, fingerprint };
    const [saved] = await saveCompositions(deps.records, [composition], options);
    if (saved !== 'changed' || evenIfStale) return saved === 'saved';
    before = { segmentVersion: basis.audience.version, counted: counts, fingerprint };
  }
}

/**
 * Computes and stores the compositions of many audiences in one pass over the attributes. Returns
 * the audiences whose composition was stored; the others changed meanwhile.
 */
export async function refreshCompositions(
  deps: CompositionDependencies,
  audienceIds: readonly number[],
  signal: AbortSignal,
): Promise<number[]> {
  await deps.waitForFold(signal);
  const bases = [...(await deps.records.compositions.bases(audienceIds)).values()];
  const counts = await countAll(
    deps,
    bases.map((basis) => ({ basis, last: basis.last })),
    signal,
  );
  const stored: number[] = [];
  // Another change during a long pass must not void it. The next pass counts only that change.
  const options = { evenIfStale: true, disclosures: deps.disclosures };
  const atOnce = Math.max(1, Math.floor(countsPerSave / (bases[0]?.attributes.length || 1)));
  for (let begin = 0; begin < bases.length; begin += atOnce) {
    signal.throwIfAborted();
    const compositions: CountedComposition[] = [];
    for (const [i, basis] of bases.slice(begin, begin + atOnce).entries()) {
      const fingerprint = await fingerprintOf(deps, basis, basis.last, signal);
      compositions.push({ basis, counts: counts[begin + i]!, fingerprint });
    }
    const outcomes = await saveCompositions(deps.records, compositions, options);
    for (const [i, { basis }] of compositions.entries()) {
      if (outcomes[i] === 'saved') stored.push(basis.audienceId);
    }
  }
  return stored;
}

/** Counts each audience. Audiences with the same open parts are compared with them together. */
async function countAll(
  { warehouse }: CompositionDependencies,
  audiences: readonly { readonly basis: CompositionBasis; readonly last: Counted | null }[],
  signal: AbortSignal,
): Promise<Counts[]> {
  const open: (Open & { basis: CompositionBasis; key: string })[] = [];
  for (const { basis, last } of audiences) {
    const { known, parts } = openParts(basis, last);
    open.push({ basis, known, parts, key: JSON.stringify(parts) });
    // With 10,000 attributes, each audience takes tens of milliseconds.
    await setImmediate();
  }
  for (const group of Map.groupBy(open, ({ key }) => key).values()) {
    const { parts } = group[0]!;
    const sets = group.map(({ basis }) => ({ segmentId: basis.audience.segmentId }));
    const counted = parts.length > 0 ? await warehouse.compare(sets, parts, signal) : [];
    for (const [i, { version, isGain, devices }] of counted.entries()) {
      const { segmentId } = parts[i]!;
      for (const [set, { known }] of group.entries()) {
        const before = isGain ? known.get(segmentId)!.devices : 0;
        known.set(segmentId, { version, devices: before + devices[set]! });
      }
    }
  }
  return open.map(({ known }) => known);
}

function openParts(basis: CompositionBasis, last: Counted | null): Open {
  const { audience, universe, matched } = basis;
  const isUnchanged = last?.segmentVersion === audience.version;
  const known: Counts = new Map(isUnchanged ? last.counted : []);
  if (audience.devices === 0) return { known: new Map(), parts: [] };
  const parts: SegmentPart[] = [];
  const addPart = (segmentId: number) => {
    const since = known.get(segmentId)?.version;
    parts.push(since === undefined ? { segmentId } : { segmentId, since });
  };
  for (const { segmentId, version, devices } of basis.attributes) {
    if (devices === 0) known.delete(segmentId);
    else if (known.get(segmentId)?.version !== version) addPart(segmentId);
  }
  if (matched.universeVersion === universe.version) {
    known.set(universe.segmentId, { version: universe.segmentVersion, devices: matched.devices });
  } else {
    addPart(universe.segmentId);
  }
  return { known, parts };
}

/** Identifies the audience's devices. If they are those of the last count, it is known. */
async function fingerprintOf(
  { records, warehouse }: CompositionDependencies,
  { audience }: CompositionBasis,
  last: Counted | null,
  signal: AbortSignal,
): Promise<Fingerprint> {
  if (last?.fingerprint && last.segmentVersion === audience.version) return last.fingerprint;
  const key = await records.reportedContents.key();
  return addDevices(warehouse, { segmentId: audience.segmentId }, createFingerprint(key), signal);
}

async function addDevices(
  warehouse: Warehouse,
  of: DeviceSet,
  fingerprint: ReturnType<typeof createFingerprint>,
  signal: AbortSignal,
): Promise<Fingerprint> {
  for await (const devices of warehouse.read(of, signal)) fingerprint.add(devices);
  return fingerprint.value();
}

/**
 * The last count with the audience's gain, if the audience only grew by the commits since. Attributes
 * that changed, and the universe, are then left to be counted whole.
 */
async function addGained(
  { records, warehouse }: CompositionDependencies,
  basis: CompositionBasis,
  last: Counted | null,
  commits: Appended['commits'],
  signal: AbortSignal,
): Promise<Counted | null> {
  const { audience, attributes } = basis;
  // Each commit that adds to a segment raises its version by one.
  const isOnlyGrown =
    commits.length > 0 && last?.segmentVersion === audience.version - commits.length;
  if (!isOnlyGrown) return last;
  const unchanged = attributes.filter(
    ({ segmentId, version, devices }) =>
      devices > 0 && last.counted.get(segmentId)?.version === version,
  );
  const parts = unchanged.map(({ segmentId }) => ({ segmentId }));
  const staged = commits.flat();
  try {
    const gained = parts.length > 0 ? await warehouse.compare([{ staged }], parts, signal) : [];
    const before = last.fingerprint;
    const key = await records.reportedContents.key();
    return {
      segmentVersion: audience.version,
      fingerprint:
        before && (await addDevices(warehouse, { staged }, createFingerprint(key, before), signal)),
      counted: new Map(
        gained.flatMap(({ version, devices }, i) => {
          const { segmentId } = parts[i]!;
          const before = last.counted.get(segmentId)!;
          // It changed after the basis was read: it is counted whole.
          if (version !== before.version) return [];
          return [[segmentId, { version, devices: before.devices + devices[0]! }]];
        }),
      ),
    };
  } catch (error) {
    // A compaction may have replaced the gained runs. Then every attribute is counted again.
    if (!(error instanceof RunsMissing)) throw error;
    return null;
  }
}
