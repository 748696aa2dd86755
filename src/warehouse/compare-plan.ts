import type { Run } from '../records/warehouse/manifest.ts';
import type { Profile, SourceRun, Sources } from '../records/warehouse/profiles.ts';
import { type NeededRuns, neededRuns } from './needed-runs.ts';
import type { DeviceSet, SegmentPart } from './port.ts';

/** What to read for a comparison. */
export interface ComparePlan {
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

export function planOf(
  of: readonly DeviceSet[],
  parts: readonly SegmentPart[],
  sources: Sources,
): ComparePlan {
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
export function keyOf({ file, firstRowGroup }: Run): string {
  return `${firstRowGroup} ${file}`;
}

/** The segments that a comparison needs. */
export function segmentsIn(of: readonly DeviceSet[], parts: readonly SegmentPart[]): number[] {
  const ids = [...of.flatMap(segmentsOf), ...parts.map(({ segmentId }) => segmentId)];
  return [...new Set(ids)];
}

function segmentsOf(set: DeviceSet): number[] {
  return 'segmentId' in set ? [set.segmentId] : [];
}

function stagedRuns({ staged = [] }: DeviceSet): Run[] {
  return staged.map((run) => ({ ...run, runId: stagedRunId }));
}
