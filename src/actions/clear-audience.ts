import type { LoaderScope } from '../records/audiences/audience-scope.ts';
import type { Records } from '../records/records.ts';

/**
 * Empties an audience and cancels its unfinished loads. False if the scope has no such audience.
 * The audience's row is locked before its jobs' rows, as a load does, so the two cannot deadlock.
 */
export function clearAudience(
  records: Records,
  scope: LoaderScope,
  audienceId: number,
): Promise<boolean> {
  return records.inTransaction(async (tx) => {
    const audience = await tx.audiences.lock(scope, audienceId);
    if (!audience) return false;
    const cancelled = await tx.audienceLoads.unfinishedJobs(audienceId);
    await tx.jobs.cancel(cancelled);
    await tx.audienceLoads.keepFileProblems(cancelled);
    await tx.audiences.startGeneration(audienceId, audience.generation + 1);
    await tx.audienceFiles.removeAll(audienceId);
    await tx.compositions.remove(audienceId);
    const labels = await tx.audienceLabels.of(audienceId);
    const labelSegments = labels.map(({ segmentId }) => segmentId);
    await tx.manifest.empty([audience.segmentId, ...labelSegments], 'clear');
    await tx.audienceHistory.addCleared(audienceId);
    await tx.audienceLabels.remove(labelSegments);
    return true;
  });
}
