import type { DamagedRuns } from '../../records/warehouse/damaged-runs.ts';
import type { Run } from '../../records/warehouse/manifest.ts';
import type { Profiles } from '../../records/warehouse/profiles.ts';
import { type ComparePlan, keyOf, planOf, segmentsIn } from '../compare-plan.ts';
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
    let plan: ComparePlan | undefined;
    const opened = await sets.open(async () => {
      plan = planOf(of, parts, await profiles.sourcesOf(segmentsIn(of, parts)));
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
