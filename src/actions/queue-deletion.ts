import type { DeletionRequest } from '../records/marketplace/import-logs.ts';
import type { Records } from '../records/records.ts';

/** Queues a deletion and returns the id of its log. The job looks its keys up again when it runs. */
export function queueDeletion(
  records: Records,
  partnerId: number,
  request: DeletionRequest,
): Promise<number> {
  return records.inTransaction(async (tx) => {
    const jobId = await tx.jobs.submit(partnerId, 'deletion');
    await tx.importLogs.addDeletion(jobId, request);
    return jobId;
  });
}
