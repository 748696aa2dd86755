import { pathType } from '../domain/job.ts';
import type { Watch } from '../records/watches/watches.ts';

/** A watch as the API shows it. */
export function watchOnTheWire(watch: Watch) {
  const { bucket, keyPrefix, skipsExisting } = watch;
  const isShared = bucket === null;
  return {
    watch_id: watch.watchId,
    audience_id: watch.audienceId,
    // Without the partner's prefix, as in requests.
    file_path: isShared ? keyPrefix.replace(/^[^/]*\//, '') : `s3://${bucket}/${keyPrefix}`,
    path_type: isShared ? pathType.sharedBucket : pathType.partnerBucket,
    key_type: watch.keyType,
    mode: watch.mode,
    compressed: watch.compressed,
    settle_seconds: watch.settleSeconds,
    marker: watch.marker,
    poll_seconds: watch.pollSeconds,
    existing_files: skipsExisting ? ('skip' as const) : ('load' as const),
    state: watch.state,
    paused_reason: watch.pausedReason,
    files_waiting: watch.filesWaiting,
    files_queued: watch.filesQueued,
    files_loaded: watch.filesLoaded,
    files_failed: watch.filesFailed,
    poll_error: watch.pollError,
    listed_at: watch.listedAt?.toISOString() ?? null,
    created_at: watch.createdAt.toISOString(),
    updated_at: watch.updatedAt.toISOString(),
  };
}
