import type { DamagedRuns } from '../../records/warehouse/damaged-runs.ts';
import type { Manifest, Run } from '../../records/warehouse/manifest.ts';
import type { DeviceSet, Warehouse } from '../port.ts';
import { devicesPerPage } from './file/run-file-format.ts';
import { type OpenedRun, retryIfRemoved } from './file/run-opener.ts';
import { devicesOf, type Sets } from './sets/sets.ts';
import { withoutDamagedRuns } from './without-damaged-runs.ts';

export interface OverlapDependencies {
  readonly manifest: Pick<Manifest, 'readableRunsOf'>;
  readonly damagedRuns: Pick<DamagedRuns, 'setAside'>;
  readonly sets: Sets;
}

export function createOverlap(deps: OverlapDependencies): Warehouse['overlap'] {
  const { manifest, damagedRuns, sets } = deps;

  async function overlapNow(
    of: DeviceSet,
    segmentIds: readonly number[],
    signal: AbortSignal,
  ): Promise<number[]> {
    await using held = new AsyncDisposableStack();
    const ownIds = 'segmentId' in of ? [of.segmentId] : [];
    const runs = await sets.open(async () => {
      const known = await manifest.readableRunsOf([...new Set([...ownIds, ...segmentIds])]);
      return [...known, ...stagedRuns(of)];
    }, held);
    const bySegment = Map.groupBy(
      runs.filter(({ run }) => run.runId !== stagedRunId),
      ({ run }) => run.segmentId,
    );
    const ofSet = [
      ...ownIds.flatMap((segmentId) => bySegment.get(segmentId) ?? []),
      ...runs.filter(({ run }) => run.runId === stagedRunId),
    ];
    const against = segmentIds.map((segmentId) => bySegment.get(segmentId) ?? []);
    return areSegmentsTiny(against, ofSet)
      ? await overlapReversed(sets, ofSet, against, signal)
      : await sets.overlap(ofSet, against, signal);
  }

  return async (of, segmentIds, signal) =>
    segmentIds.length === 0
      ? []
      : await withoutDamagedRuns(damagedRuns, () =>
          retryIfRemoved(() => overlapNow(of, segmentIds, signal)),
        );
}

/** No run in the manifest has this id. */
const stagedRunId = 0;

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
