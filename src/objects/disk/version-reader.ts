import type { BlobEntry, ObjectIndex } from '../../records/objects/object-index.ts';
import { type ObjectVersion, VersionGone } from '../port.ts';
import { type BlobFiles, BlobMissing } from './blob-files.ts';

/** Reads versions whose blobs may be replaced and removed at any moment. */
export function createVersionReader(
  index: ObjectIndex,
  files: BlobFiles,
  readBlob: BlobFiles['read'] = files.read,
) {
  return {
    async *read(version: ObjectVersion, start: number, end: number): AsyncGenerator<Uint8Array> {
      for (let position = start; ; ) {
        const blobs = await blobsOf(version);
        try {
          for (const { blob, from, to } of slices(blobs, position, end)) {
            for await (const chunk of readBlob(blob, from, to)) {
              position += chunk.length;
              yield chunk;
            }
          }
          return;
        } catch (error) {
          await rethrowUnlessReplaced(error, version);
        }
      }
    },

    /** Copies the bytes of that version into new blobs. */
    async copy(version: ObjectVersion): Promise<BlobEntry[]> {
      for (;;) {
        const copies: BlobEntry[] = [];
        try {
          for (const blob of await blobsOf(version)) copies.push(await files.copy(blob));
          return copies;
        } catch (error) {
          await files.remove(copies.map(({ name }) => name));
          await rethrowUnlessReplaced(error, version);
        }
      }
    },
  };

  async function blobsOf(version: ObjectVersion): Promise<BlobEntry[]> {
    const blobs = await index.blobsOf(version);
    if (blobs.length === 0) throw new VersionGone(version);
    return blobs;
  }

  /** Returns if the version now has other blobs, so that reading can continue; otherwise throws. */
  async function rethrowUnlessReplaced(error: unknown, version: ObjectVersion): Promise<void> {
    if (!(error instanceof BlobMissing)) throw error;
    const blobs = await blobsOf(version);
    if (!blobs.some(({ name }) => name === error.blob)) return;
    throw new Error(`the bytes of object ${version.key} are missing`, { cause: error });
  }
}

/** The part of each blob that covers bytes [start, end) of the whole object. */
function* slices(blobs: readonly BlobEntry[], start: number, end: number) {
  let offset = 0;
  for (const blob of blobs) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, blob.size);
    if (from < to) yield { blob, from, to };
    offset += blob.size;
  }
}
