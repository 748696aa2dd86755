import type { AudienceLoad } from '../records/audiences/audience-loads.ts';
import type { Claim } from '../records/queue/jobs.ts';
import type { Records } from '../records/records.ts';

const filesPerTransaction = 10_000;

/** Enters the files that an attempt will load, and deletes the rejects of their earlier loads. */
export async function enterAudienceFiles(
  records: Records,
  claim: Claim,
  load: AudienceLoad,
  s3Paths: readonly string[],
): Promise<void> {
  for (let start = 0; start < s3Paths.length; start += filesPerTransaction) {
    const batch = s3Paths.slice(start, start + filesPerTransaction);
    await records.inTransaction(async (tx) => {
      await tx.audienceLoads.lockAudienceAndClaim(claim, load);
      await tx.audienceRejects.removeOfFiles(load.audienceId, batch);
      await tx.audienceFiles.enter(claim, load.audienceId, batch, start);
    });
  }
  await records.inTransaction(async (tx) => {
    await tx.audienceLoads.lockAudienceAndClaim(claim, load);
    await tx.audiences.touchLoaded(load.audienceId);
    await tx.audienceFiles.restoreLeftovers(claim, load.audienceId);
  });
}
