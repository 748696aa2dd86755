import type { SourceRun, Sources } from '../records/warehouse/profiles.ts';
import type { SegmentCount, SegmentPart } from './port.ts';

/** The runs to count for a part. */
export interface NeededRuns extends Pick<SegmentCount, 'version' | 'isGain'> {
  readonly runs: readonly SourceRun[];
}

/** Runs of a segment are disjoint, so the runs that came after a version hold what it gained. */
export function neededRuns(parts: readonly SegmentPart[], sources: Sources): NeededRuns[] {
  const bySegment = Map.groupBy(sources.runs, ({ segmentId }) => segmentId);
  return parts.map(({ segmentId, since }) => {
    const { version, lostVersion } = sources.versions.get(segmentId) ?? noVersion;
    const runs = bySegment.get(segmentId) ?? [];
    const isGain =
      since !== undefined &&
      lostVersion <= since &&
      !runs.some(({ firstVersion, lastVersion }) => firstVersion <= since && since < lastVersion);
    return {
      version,
      isGain,
      runs: isGain ? runs.filter(({ firstVersion }) => firstVersion > since) : runs,
    };
  });
}

/** A segment that no longer exists holds nothing. */
const noVersion = { version: 0, lostVersion: 0 };
