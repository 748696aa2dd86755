import { limits } from '../../domain/limits.ts';
import type { Trash } from '../../domain/trash.ts';
import type { ObjectIndex } from '../../records/objects/object-index.ts';
import type { Uploads } from '../../records/objects/uploads.ts';
import type { BlobFiles } from './blob-files.ts';

const uploadLifetimeMs = limits.uploadDays.most * 24 * 60 * 60 * 1_000;

/** What was deleted, moved to the trash, and deleted from the trash. */
export interface Swept extends Record<string, number> {
  readonly blobs: number;
  readonly bytes: number;
  readonly trashed: number;
  readonly expired: number;
}

const blobsPerBatch = 1_000;

/**
 * Aborts abandoned uploads, and deletes blobs that lost their owner in a process that died before it
 * deleted them. Unknown blobs go to the trash: their process died before it committed them, or the
 * database was restored from an older backup. A blob younger than the grace period stays, because its
 * commit may still follow.
 */
export async function sweep(
  blobs: BlobFiles,
  index: ObjectIndex,
  uploads: Uploads,
  graceMs: number,
  trash: Trash,
): Promise<Swept> {
  const uploadsBefore = new Date(Date.now() - uploadLifetimeMs);
  for (const uploadId of await uploads.startedBefore(uploadsBefore)) await uploads.abort(uploadId);

  let deleted = 0;
  let bytes = 0;
  for (;;) {
    const names = await index.removedBlobs(blobsPerBatch);
    if (names.length === 0) break;
    for (const name of names) {
      const blob = await blobs.describe(name);
      if (!blob) continue;
      await blobs.delete(name);
      deleted += 1;
      bytes += blob.size;
    }
    await index.forgetRemoved(names);
  }

  const unknown: string[] = [];
  for await (const names of blobs.names()) {
    const known = await index.knownBlobs(names);
    for (const name of names) {
      if (known.has(name)) continue;
      const blob = await blobs.describe(name);
      if (blob && blob.ageMs > graceMs) unknown.push(blobs.pathOf(name));
    }
  }
  await trash.add(unknown);
  return { blobs: deleted, bytes, trashed: unknown.length, expired: await trash.removeExpired() };
}
