import type { NewAudienceLoad } from '../records/audiences/audience-loads.ts';
import type { Records } from '../records/records.ts';

/** Queues a job that loads files into an audience. */
export function queueAudienceLoad(
  records: Records,
  partnerId: number,
  load: NewAudienceLoad,
): Promise<void> {
  return records.inTransaction(async (tx) => {
    const jobId = await tx.jobs.submit(partnerId, 'audience');
    await tx.audienceLoads.add(jobId, load);
  });
}
