import type { DamagedRuns } from '../../records/warehouse/damaged-runs.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import type { Profile, Profiles, SourceRun, Sources } from '../../records/warehouse/profiles.ts';
import { type NeededRuns, neededRuns } from '../needed-runs.ts';
import type { DeviceSet, SegmentPart, Warehouse } from '../port.ts';
import { devicesPerPage } from './file/run-file-format.ts';
import { type OpenedRun, retryIfRemoved } from './file/run-opener.ts';
import { devicesOf } from './sets/opened-runs.ts';
import type { Sets } from './sets/sets.ts';
import { withoutDamagedRuns } from './without-damaged-runs.ts';

export interface CompareDependencies {
  readonly profiles: Pick<Profiles, 'sourcesOf'>;
  readonly damagedRuns: Pick<DamagedRuns, 'setAside'>;
  readonly sets: Sets;
}

export function createCompare(deps: CompareDependencies): Warehouse['compare'] {
  const { profiles, damagedRuns, sets } = deps;

  async function compareNow(
    of: readonly DeviceSet[],
    parts: readonly SegmentPart[],
    signal: AbortSignal,
  ) {
    await using held = new AsyncDisposableStack();
    let plan: Plan | undefined;
    const opened = await sets.open(async () => {
      const ids = [...of.flatMap(segmentsOf), ...parts.map(({ segmentId }) => segmentId)];
      plan = planOf(of, parts, await profiles.sourcesOf([...new Set(ids)]));
      return plan.runs;
    }, held);
    const { needed, direct, byProfile, setRuns } = plan!;
    const byKey = new Map(opened.map((run) => [keyOf(run.run), run]));
    const openedOf = (runs: readonly Run[]) => runs.map((run) => byKey.get(keyOf(run))!);
    const devices = needed.map(() => of.map(() => 0));

    const ofSets = setRuns.map(openedOf);
    for (const { profile, numbers } of byProfile) {
      const open = await sets.profiles.withLists(byKey.get(keyOf(profile.run))!, profile.numbers);
      const counts = await sets.profiles.count(open, ofSets, signal);
      for (const { number, part } of numbers) {
        for (const [set, count] of counts.entries()) devices[part]![set]! += count[number]!;
      }
    }
    const segments = [...direct.keys()];
    const against = segments.map((part) => openedOf(direct.get(part)!));
    const merged: number[] = [];
    for (const [set, runs] of ofSets.entries()) {
      if (segments.length === 0 || runs.length === 0) continue;
      const isTiny = areSegmentsTiny(against, runs);
      if (!isTiny && isMergeFaster(against, runs)) {
        merged.push(set);
        continue;
      }
      const counts = isTiny
        ? await overlapReversed(sets, runs, against, signal)
        : await sets.overlap(runs, against, signal);
      for (const [i, part] of segments.entries()) devices[part]![set]! += counts[i]!;
    }
    if (merged.length > 0) {
      const runsOfMerged = merged.map((set) => ofSets[set]!);
      for (const [i, part] of segments.entries()) {
        for (const run of against[i]!) {
          const counts = await sets.profiles.count(run, runsOfMerged, signal);
          for (const [j, set] of merged.entries()) devices[part]![set]! += counts[j]![0]!;
        }
      }
    }
    return needed.map(({ version, isGain }, part) => ({
      version,
      isGain,
      devices: devices[part]!,
    }));
  }

  return async (of, parts, signal) =>
    of.length === 0 || parts.length === 0
      ? parts.map(() => ({ version: 0, isGain: false, devices: of.map(() => 0) }))
      : await withoutDamagedRuns(damagedRuns, () =>
          retryIfRemoved(() => compareNow(of, parts, signal)),
        );
}

/** What to read for a comparison. */
interface Plan {
  readonly needed: readonly NeededRuns[];
  /** The runs of each set. */
  readonly setRuns: readonly (readonly Run[])[];
  readonly byProfile: readonly {
    readonly profile: Profile;
    /** The numbers to add up, and the part to which each belongs. */
    readonly numbers: readonly { readonly number: number; readonly part: number }[];
  }[];
  /** By part, the runs that are read themselves. */
  readonly direct: ReadonlyMap<number, readonly Run[]>;
  /** All runs to open. */
  readonly runs: readonly Run[];
}

/** A profile is worth reading if this share of its devices is in the runs that are needed of it. */
const worthwhileShare = 0.5;

function planOf(of: readonly DeviceSet[], parts: readonly SegmentPart[], sources: Sources): Plan {
  const needed = neededRuns(parts, sources);
  const bySegment = Map.groupBy(sources.runs, ({ segmentId }) => segmentId);
  const setRuns = of.map((set) => [
    ...segmentsOf(set).flatMap((segmentId) => bySegment.get(segmentId) ?? []),
    ...stagedRuns(set),
  ]);
  const wanted = new Map<number, number>();
  for (const { devices, numbers } of needed.flatMap(({ runs }) => runs)) {
    for (const { profile } of numbers) {
      wanted.set(profile, (wanted.get(profile) ?? 0) + devices / numbers.length);
    }
  }
  const isWorthwhile = (profile: number) =>
    wanted.get(profile)! >= worthwhileShare * sources.profiles.get(profile)!.run.devices;
  const isIndirect = ({ numbers }: SourceRun) =>
    numbers.length > 0 && numbers.every(({ profile }) => isWorthwhile(profile));
  const direct = new Map<number, Run[]>();
  const byProfile = new Map<number, { number: number; part: number }[]>();
  for (const [part, { runs }] of needed.entries()) {
    for (const run of runs) {
      if (!isIndirect(run)) {
        direct.set(part, [...(direct.get(part) ?? []), run]);
        continue;
      }
      for (const { profile, number } of run.numbers) {
        const numbers = byProfile.get(profile) ?? [];
        numbers.push({ number, part });
        byProfile.set(profile, numbers);
      }
    }
  }
  const used = [...byProfile].map(([id, numbers]) => ({
    profile: sources.profiles.get(id)!,
    numbers,
  }));
  const runs = [
    ...setRuns.flat(),
    ...[...direct.values()].flat(),
    ...used.map(({ profile }) => profile.run),
  ];
  return {
    needed,
    setRuns,
    byProfile: used,
    direct,
    runs: [...new Map(runs.map((run) => [keyOf(run), run])).values()],
  };
}

/** No run in the manifest has this id. */
const stagedRunId = 0;

/** Staged runs have no id yet. */
function keyOf({ file, firstRowGroup }: Run): string {
  return `${firstRowGroup} ${file}`;
}

function segmentsOf(set: DeviceSet): number[] {
  return 'segmentId' in set ? [set.segmentId] : [];
}

function stagedRuns({ staged = [] }: DeviceSet): Run[] {
  return staged.map((run) => ({ ...run, runId: stagedRunId }));
}

/** Whether looking up the segments' devices one by one reads fewer pages than the whole set has. */
function areSegmentsTiny(
  against: readonly (readonly OpenedRun[])[],
  of: readonly OpenedRun[],
): boolean {
  const pages = devicesOf(of) / devicesPerPage;
  const lookups = against.reduce((sum, runs) => sum + Math.min(devicesOf(runs), pages), 0);
  return lookups < pages;
}

/**
 * Whether reading the set once for each run of the segments and merging takes less time than a table
 * of the set, in which each of their devices is looked up. The factors are estimates: for each device, a
 * table takes as long as about six merges, and a lookup as three.
 */
function isMergeFaster(
  against: readonly (readonly OpenedRun[])[],
  of: readonly OpenedRun[],
): boolean {
  const runs = against.flat();
  return runs.length * devicesOf(of) < 6 * devicesOf(of) + 2 * devicesOf(runs);
}

/** An overlap is symmetric, so this looks up each segment's devices in the set instead. */
async function overlapReversed(
  sets: Sets,
  of: readonly OpenedRun[],
  against: readonly (readonly OpenedRun[])[],
  signal: AbortSignal,
): Promise<number[]> {
  const counts: number[] = [];
  for (const runs of against) {
    const [count = 0] = await sets.overlap(runs, [of], signal);
    counts.push(count);
  }
  return counts;
}
