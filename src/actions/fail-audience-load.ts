import type { ImportProblem } from '../domain/import-problems.ts';
import type { Records } from '../records/records.ts';

/** Records why a load failed as a whole. Its unfinished files fail with it. */
export function failAudienceLoad(
  records: Records,
  jobId: number,
  problem: ImportProblem,
): Promise<void> {
  return records.inTransaction(async (tx) => {
    await tx.audienceLoads.setProblem(jobId, problem);
    await tx.audienceFiles.failUnfinished(jobId);
  });
}
