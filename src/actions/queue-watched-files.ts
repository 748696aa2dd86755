import { TributaryError } from '../domain/errors.ts';
import { keyType, pathType } from '../domain/job.ts';
import { limits } from '../domain/limits.ts';
import { partnerBucketPath, sharedBucketKey } from '../domain/source-path.ts';
import { partnerPrefix } from '../records/access/partners.ts';
import type { BucketCredentials } from '../records/marketplace/import-logs.ts';
import type { Records } from '../records/records.ts';
import type { WatchFile } from '../records/watches/watch-files.ts';
import type { LockedWatch } from '../records/watches/watches.ts';
import { pauseWatch } from './pause-watch.ts';
import { queueAudienceLoad } from './queue-audience-load.ts';
import { queueImport } from './queue-import.ts';

export interface WatchedFiles {
  readonly queued: number;
  readonly loaded: number;
  readonly failed: number;
  readonly paused: number;
}

const nothing: WatchedFiles = { queued: 0, loaded: 0, failed: 0, paused: 0 };

/**
 * Enters the outcomes of jobs that have ended into the ledger of a watch, and queues the files that are ready. One
 * transaction, so each version is queued once. Does nothing while another worker has the watch.
 */
export function queueWatchedFiles(
  records: Records,
  owner: { watchId: number; partnerId: number; customerId: number | null },
): Promise<WatchedFiles> {
  return records.inTransaction(async (tx) => {
    await tx.refuseNewerSchema();
    // Before the lock of the watch, in the order in which requests take the two.
    await tx.access.hold(owner.partnerId, owner.customerId);
    const watch = await tx.watches.lock(owner.watchId);
    if (!watch) return nothing;
    const { open, ...ended } = await settleEnded(tx, watch);
    const room = limits.watchJobs.most - open;
    if (watch.state === 'paused' || ended.paused > 0 || room <= 0) return { ...ended, queued: 0 };
    return { ...ended, queued: await queueReady(tx, watch, room) };
  });
}

/** `open` is how many jobs have not ended. */
async function settleEnded(
  tx: Records,
  watch: LockedWatch,
): Promise<Omit<WatchedFiles, 'queued'> & { readonly open: number }> {
  const files = await tx.watchFiles.ended(watch);
  const open = watch.filesQueued - files.length;
  if (files.length === 0) return { ...nothing, open };
  await tx.watchFiles.settle(watch, files);
  let { failedInRow } = watch;
  const counts = { loaded: 0, failed: 0 };
  for (const { outcome } of files) {
    if (outcome !== 'loaded' && outcome !== 'failed') continue;
    counts[outcome] += 1;
    failedInRow = outcome === 'failed' ? failedInRow + 1 : 0;
  }
  await tx.watches.countEnded(watch.watchId, { ...counts, failedInRow });
  const most = limits.watchFailures.most;
  if (watch.state === 'paused' || failedInRow < most) return { ...counts, open, paused: 0 };
  const { watchId, partnerId, audienceId } = watch;
  await pauseWatch(
    tx,
    { watchId, partnerId, audienceId },
    `The last ${failedInRow} files failed. Correct them, then resume the watch. Files that were changed are loaded again.`,
  );
  return { ...counts, open, paused: 1 };
}

/** Few jobs of a watch are open at a time, so that the partner's other jobs do not wait for thousands. */
async function queueReady(tx: Records, watch: LockedWatch, room: number): Promise<number> {
  const files = await tx.watchFiles.ready(watch, room);
  if (files.length === 0 || (await isBeyondQuota(tx, watch.partnerId))) return 0;
  const credentials = watch.bucket === null ? null : await tx.watches.credentials(watch.watchId);
  const queued: { fileId: number; jobId: number | null }[] = [];
  for (const file of files) {
    queued.push({ fileId: file.fileId, jobId: await queueFile(tx, watch, file, credentials) });
  }
  await tx.watchFiles.setQueued(watch, queued);
  return queued.length;
}

/** Files wait until the partner's quota allows loads again. */
async function isBeyondQuota(tx: Records, partnerId: number): Promise<boolean> {
  try {
    await tx.usage.refuseLoads(partnerId);
    return false;
  } catch (error) {
    if (error instanceof TributaryError && error.code === 'quota_exceeded') return true;
    throw error;
  }
}

/** Null if the file cannot be loaded because of its name. */
async function queueFile(
  tx: Records,
  watch: LockedWatch,
  { key, etag }: WatchFile,
  credentials: BucketCredentials | null,
): Promise<number | null> {
  const { partnerId, audienceId, bucket } = watch;
  if (audienceId !== null) {
    const audience = await tx.audiences.touch({ partnerId, customerId: null }, audienceId);
    // A watch is removed before its audience.
    const { generation } = audience!;
    return queueAudienceLoad(tx, partnerId, { audienceId, generation, path: key, etag });
  }
  const filePath = pathOf(bucket, partnerId, key);
  if (filePath === null) return null;
  return queueImport(
    tx,
    partnerId,
    {
      filePath,
      pathType: bucket === null ? pathType.sharedBucket : pathType.partnerBucket,
      keyType: watch.keyType ?? keyType.partnerForeignKey,
      mode: watch.mode ?? 'merge',
      compressed: watch.compressed,
      etag,
    },
    credentials,
  );
}

/** The `file_path` that names exactly this key; null if none does. */
function pathOf(bucket: string | null, partnerId: number, key: string): string | null {
  if (bucket === null) {
    const prefix = partnerPrefix(partnerId);
    const path = key.slice(prefix.length);
    return sharedBucketKey(prefix, path) === key ? path : null;
  }
  const path = `s3://${bucket}/${key}`;
  const parsed = partnerBucketPath(path);
  return 'path' in parsed && parsed.path === key ? path : null;
}
