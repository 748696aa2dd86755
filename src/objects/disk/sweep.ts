import type { ObjectIndex } from '../../records/objects/object-index.ts';
import type { Uploads } from '../../records/objects/uploads.ts';
import type { BlobFiles } from './blob-files.ts';

const uploadLifetimeMs = 7 * 24 * 60 * 60 * 1_000;

export interface Swept {
  readonly blobs: number;
  readonly bytes: number;
}

/**
 * Aborts abandoned uploads and removes unreferenced blobs. A process leaves one if it dies before it
 * commits the blob or before it removes a replaced one. A blob younger than the grace period stays,
 * because its commit may still follow.
 */
export async function sweep(
  blobs: BlobFiles,
  index: ObjectIndex,
  uploads: Uploads,
  graceMs: number,
): Promise<Swept> {
  const now = Date.now();
  const abandoned = new Set<string>();
  for (const uploadId of await uploads.startedBefore(new Date(now - uploadLifetimeMs))) {
    const parts = await uploads.abort(uploadId);
    if (parts !== 'no_such_upload') for (const blob of parts) abandoned.add(blob);
  }

  let removed = 0;
  let bytes = 0;
  for await (const names of blobs.names()) {
    const owned = await index.ownedBlobs(names);
    for (const name of names) {
      if (owned.has(name)) continue;
      const blob = await blobs.describe(name);
      if (!blob) continue;
      if (!abandoned.has(name) && blob.writtenAt.getTime() >= now - graceMs) continue;
      await blobs.remove([name]);
      removed += 1;
      bytes += blob.size;
    }
  }
  return { blobs: removed, bytes };
}
