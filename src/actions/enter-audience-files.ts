import type { AudienceLoad } from '../records/audiences/audience-loads.ts';
import type { Claim } from '../records/queue/jobs.ts';
import type { Records } from '../records/records.ts';

/** Enters the files that an attempt will load, and deletes the rejects of their earlier loads. */
export function enterAudienceFiles(
  records: Records,
  claim: Claim,
  { audienceId }: AudienceLoad,
  s3Paths: readonly string[],
): Promise<void> {
  return records.inTransaction(async (tx) => {
    await tx.audienceRejects.removeOfFiles(audienceId, s3Paths);
    await tx.audienceFiles.enter(claim, audienceId, s3Paths);
    await tx.audienceFiles.restoreLeftovers(claim, audienceId);
  });
}
