import { createHash, randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import type { ObjectEntry, ObjectIndex } from '../../records/object-index.ts';
import { type ObjectStore, type ObjectVersion, VersionGone } from '../port.ts';

const keysPerPage = 1_000;

/**
 * Objects as immutable blob files with random names, and an index that says which key has which
 * blob. Keys never become file names, so any key works and none can leave the folder.
 */
export async function openDiskStore(folder: string, index: ObjectIndex): Promise<ObjectStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });

  return {
    async *find(path) {
      const exact = await index.find(path);
      if (exact) {
        yield version(exact);
        return;
      }
      for (let from = path; ; ) {
        const page = await index.page(from, keysPerPage);
        for (const entry of page) {
          if (!entry.key.startsWith(path)) return;
          yield version(entry);
        }
        const last = page.at(-1);
        if (!last || page.length < keysPerPage) return;
        from = successor(last.key);
      }
    },

    async stat(key) {
      const entry = await index.find(key);
      return entry && version(entry);
    },

    async *open(wanted, offset) {
      const entry = await index.find(wanted.key);
      if (entry?.etag !== wanted.etag) throw new VersionGone(wanted);
      try {
        yield* createReadStream(blobPath(entry.blob), { start: offset, highWaterMark: 1 << 20 });
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        const now = await index.find(wanted.key);
        // Replaced, and its blob removed, between the look at the index and the opening.
        if (now?.blob !== entry.blob) throw new VersionGone(wanted);
        throw new Error(`the bytes of object ${wanted.key} are missing`, { cause: error });
      }
    },

    async put(key, content) {
      const blob = randomBytes(16).toString('hex');
      const { etag, size } = await writeBlob(blob, content);
      let replaced: ObjectEntry | undefined;
      try {
        replaced = await index.replace({ key, etag, size, blob });
      } catch (error) {
        // An answer that was lost may have been a yes: then the blob is the object's, so it stays.
        const mayStand = await index.find(key).then(
          (entry) => entry?.blob === blob,
          () => true,
        );
        if (!mayStand) await rm(blobPath(blob), { force: true });
        throw error;
      }
      if (replaced) await rm(blobPath(replaced.blob), { force: true });
      return { key, etag, size };
    },

    async checkReady() {
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    },
  };

  /** Two levels, so that no folder grows large. */
  function blobPath(blob: string): string {
    return join(folder, blob.slice(0, 2), blob);
  }

  /** Durable when it returns: the bytes, and the name in its folder. */
  async function writeBlob(blob: string, content: AsyncIterable<Uint8Array>) {
    const path = blobPath(blob);
    const md5 = createHash('md5');
    let size = 0;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await using file = await open(path, 'wx', 0o600);
      for await (const chunk of content) {
        md5.update(chunk);
        size += chunk.length;
        await file.appendFile(chunk);
      }
      await file.sync();
      await syncFolder(dirname(path));
      await syncFolder(folder);
    } catch (error) {
      await rm(path, { force: true });
      if (codeOf(error) !== 'ENOSPC' && codeOf(error) !== 'EDQUOT') throw error;
      throw new TributaryError('storage_full', 'There is no room left to store the object.', {
        cause: error,
      });
    }
    return { etag: md5.digest('hex'), size };
  }
}

async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

function version({ key, etag, size }: ObjectEntry): ObjectVersion {
  return { key, etag, size };
}

/** The least key after this one: keys hold no U+0000, and nothing sorts below U+0001. */
function successor(key: string): string {
  return `${key}\u0001`;
}
