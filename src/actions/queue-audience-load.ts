import type { NewAudienceLoad } from '../records/audiences/audience-loads.ts';
import type { Records } from '../records/records.ts';

/** Queues a job that loads files into an audience, and returns its id. */
export function queueAudienceLoad(
  records: Records,
  partnerId: number,
  load: NewAudienceLoad,
): Promise<number> {
  return records.inTransaction(async (tx) => {
    const jobId = await tx.jobs.submit(partnerId, 'audience');
    await tx.audienceLoads.add(jobId, load);
    return jobId;
  });
}
