import type {
  BucketCredentials,
  ImportPlace,
  ImportRequest,
} from '../records/marketplace/import-logs.ts';
import type { Records } from '../records/records.ts';

/** Queues an import and returns the id of its log, which is also the id of its job. */
export function queueImport(
  records: Records,
  partnerId: number,
  request: ImportPlace & Partial<ImportRequest>,
  credentials: BucketCredentials | null = null,
): Promise<number> {
  return records.inTransaction(async (tx) => {
    const jobId = await tx.jobs.submit(partnerId, 'import');
    await tx.importLogs.addImport(jobId, request);
    if (credentials) await tx.importLogs.saveCredentials(jobId, credentials);
    return jobId;
  });
}
