import type { Manifest, Run } from '../../records/warehouse/manifest.ts';
import type { DeviceSet, Warehouse } from '../port.ts';
import { type HeldRun, startingOver } from './file/run-opener.ts';
import { devicesOf, type Sets } from './sets/sets.ts';

export interface OverlapDependencies {
  readonly manifest: Pick<Manifest, 'runsOf'>;
  readonly sets: Sets;
}

const devicesPerPage = 4096;

export function createOverlap({ manifest, sets }: OverlapDependencies): Warehouse['overlap'] {
  async function overlapNow(
    of: DeviceSet,
    segmentIds: readonly number[],
    signal: AbortSignal,
  ): Promise<number[]> {
    await using held = new AsyncDisposableStack();
    const ownIds = 'segmentId' in of ? [of.segmentId] : [];
    const runs = await sets.open(async () => {
      const known = await manifest.runsOf([...new Set([...ownIds, ...segmentIds])]);
      return [...known, ...stagedRuns(of)];
    }, held);
    const bySegment = Map.groupBy(
      runs.filter(({ run }) => run.runId !== unknownRun),
      ({ run }) => run.segmentId,
    );
    const ofSet = [
      ...ownIds.flatMap((segmentId) => bySegment.get(segmentId) ?? []),
      ...runs.filter(({ run }) => run.runId === unknownRun),
    ];
    const against = segmentIds.map((segmentId) => bySegment.get(segmentId) ?? []);
    return isEachTiny(against, ofSet)
      ? await overlapEach(sets, ofSet, against, signal)
      : await sets.overlap(ofSet, against, signal);
  }

  return async (of, segmentIds, signal) =>
    segmentIds.length === 0 ? [] : await startingOver(() => overlapNow(of, segmentIds, signal));
}

/** No run of the manifest has it. */
const unknownRun = 0;

function stagedRuns({ staged = [] }: DeviceSet): Run[] {
  return staged.map((run) => ({ ...run, runId: unknownRun }));
}

/** Whether looking up the segments' devices one by one reads fewer pages than the set has. */
function isEachTiny(against: readonly (readonly HeldRun[])[], of: readonly HeldRun[]): boolean {
  const pages = devicesOf(of) / devicesPerPage;
  const lookups = against.reduce((sum, runs) => sum + Math.min(devicesOf(runs), pages), 0);
  return lookups < pages;
}

/** The other way round, as an overlap has no sides: the segments are looked for in the set. */
async function overlapEach(
  sets: Sets,
  of: readonly HeldRun[],
  against: readonly (readonly HeldRun[])[],
  signal: AbortSignal,
): Promise<number[]> {
  const counts: number[] = [];
  for (const runs of against) {
    const [count = 0] = await sets.overlap(runs, [of], signal);
    counts.push(count);
  }
  return counts;
}
