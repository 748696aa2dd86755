import type { ObjectIndex } from '../../records/objects/object-index.ts';
import type { Uploads } from '../../records/objects/uploads.ts';
import type { BlobFiles } from './blob-files.ts';

const uploadLifetimeMs = 7 * 24 * 60 * 60 * 1_000;

export interface Swept {
  readonly blobs: number;
  readonly bytes: number;
}

/**
 * Ends uploads that nobody will complete any more, and removes the blobs that nothing refers to:
 * those of the uploads, and what a process left that died between writing a blob and committing
 * it, or between a commit and removing what it displaced. A blob that was written to within the
 * grace period may be one whose commit is yet to come.
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
