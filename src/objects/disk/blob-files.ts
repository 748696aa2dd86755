import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, open, readdir, rm, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { checkWhileWriting, type DiskReserve, type SpaceCheck } from '../../domain/disk-reserve.ts';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import type { BlobEntry } from '../../records/objects/object-index.ts';
import type { Content } from '../content.ts';
import { writeContent } from './write-content.ts';
import { createWriteThreads } from './write-threads.ts';

const bytesPerRead = 1 << 20;
/** Two for each file that a job reads at once. */
const keptReadBuffers = 16;
const subfolderName = /^[0-9a-f]{2}$/;
const blobName = /^[0-9a-f]{32}$/;

/** The blob's file does not exist. */
export class BlobMissing extends Error {
  override readonly name = 'BlobMissing';
  readonly blob: string;

  constructor(blob: string, cause: unknown) {
    super(`blob ${blob} is missing`, { cause });
    this.blob = blob;
  }
}

export type BlobFiles = Awaited<ReturnType<typeof openBlobFiles>>;

/** Immutable files with random names that only their owner can read. */
export async function openBlobFiles(folder: string, reserve: DiskReserve) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const durableFolders = new Set<string>();
  const readBuffers = createReadBuffers();
  const threads = createWriteThreads();

  return {
    /** Writes a new blob, which is durable when this resolves. Leaves no file if it fails. */
    write: (content: Content): Promise<BlobEntry> =>
      create(async (path, checkSpace) => {
        await using file = await open(path, 'wx', 0o600);
        using writer = threads.open(file, ['MD5', ...(content.checksums ?? [])]);
        const size = await writeContent(file, content, writer.store, checkSpace);
        const digests = await writer.finish();
        content.check?.(digests);
        return { etag: Buffer.from(digests.MD5!).toString('hex'), size };
      }),

    /** Copies a blob as durably as `write`. Shares its extents if the file system can. */
    copy: (source: BlobEntry): Promise<BlobEntry> =>
      create(async (path) => {
        const mode = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;
        await copyFile(pathOf(source.name), path, mode).catch(rethrowMissing(source.name));
        await sync(path);
        return { etag: source.etag, size: source.size };
      }),

    /** Reads bytes [start, end). Throws if the blob is shorter. */
    async *read({ name }: BlobEntry, start: number, end: number): AsyncGenerator<Uint8Array> {
      const options = { start, end: end - 1, highWaterMark: bytesPerRead };
      let missing = end - start;
      const file = await open(pathOf(name), 'r').catch(rethrowMissing(name));
      for await (const chunk of file.createReadStream(options)) {
        missing -= chunk.length;
        yield chunk;
      }
      if (missing > 0) throw truncatedBlob(name, missing);
    },

    /**
     * The same with two alternating buffers: a chunk is valid until the reader requests the one after the
     * next. New buffers would cause a full garbage collection about every 64 MB. The last chunk is empty:
     * when the reader requests more, it has used the one before, whose buffer then serves another blob.
     */
    async *readReusingBuffers(
      { name }: BlobEntry,
      start: number,
      end: number,
    ): AsyncGenerator<Uint8Array> {
      await using file = await open(pathOf(name), 'r').catch(rethrowMissing(name));
      const buffers: Buffer[] = [];
      for (let position = start; position < end; ) {
        const buffer =
          (buffers.length === 2 && buffers.shift()) || readBuffers.take(end - position);
        buffers.push(buffer);
        const wanted = Math.min(buffer.length, end - position);
        const { bytesRead } = await file.read(buffer, 0, wanted, position);
        position += bytesRead;
        if (bytesRead === 0) throw truncatedBlob(name, end - position);
        yield buffer.subarray(0, bytesRead);
      }
      yield Buffer.alloc(0);
      readBuffers.giveBack(buffers);
    },

    /** Ignores failures: the objects are already deleted, and the sweep removes leftover blobs. */
    async remove(names: readonly string[]): Promise<void> {
      await Promise.allSettled(names.map((name) => unlink(pathOf(name))));
    },

    /** Deletes a blob, if it still exists. */
    delete: (name: string): Promise<void> => rm(pathOf(name), { force: true }),

    pathOf,

    /** Lists the names of all blobs, one subfolder at a time. */
    async *names(): AsyncGenerator<string[]> {
      for (const subfolder of await readdir(folder)) {
        if (!subfolderName.test(subfolder)) continue;
        yield (await readdir(join(folder, subfolder))).filter((name) => blobName.test(name));
      }
    },

    /** Undefined if the blob no longer exists. */
    async describe(name: string): Promise<{ size: number; ageMs: number } | undefined> {
      try {
        const { size, mtimeMs } = await stat(pathOf(name));
        const ageMs = Date.now() - mtimeMs;
        // The clock was set back since. The age counts from now.
        if (ageMs < 0) await utimes(pathOf(name), new Date(), new Date());
        return { size, ageMs };
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    },

    checkReady: () => access(folder, constants.R_OK | constants.W_OK | constants.X_OK),
  };

  /** Subfolders keep each folder small. */
  function folderOf(name: string): string {
    return join(folder, name.slice(0, 2));
  }

  function pathOf(name: string): string {
    return join(folderOf(name), name);
  }

  async function create(
    fill: (path: string, checkSpace: SpaceCheck) => Promise<{ etag: string; size: number }>,
  ): Promise<BlobEntry> {
    const name = randomBytes(16).toString('hex');
    const checkSpace = checkWhileWriting(reserve, 'data');
    await checkSpace(0);
    try {
      await makeFolder(folderOf(name));
      const written = await fill(pathOf(name), checkSpace);
      await sync(folderOf(name));
      return { name, ...written };
    } catch (error) {
      await rm(pathOf(name), { force: true });
      if (codeOf(error) !== 'ENOSPC' && codeOf(error) !== 'EDQUOT') throw error;
      throw new TributaryError('storage_full', 'There is not enough space to store the object.', {
        cause: error,
      });
    }
  }

  async function makeFolder(path: string): Promise<void> {
    if (durableFolders.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    await sync(folder);
    durableFolders.add(path);
  }
}

/** Buffers for blobs that are read, at most as long as one read. */
function createReadBuffers() {
  const unused: Buffer[] = [];
  return {
    take: (bytes: number): Buffer =>
      bytes < bytesPerRead
        ? Buffer.allocUnsafeSlow(bytes)
        : (unused.pop() ?? Buffer.allocUnsafeSlow(bytesPerRead)),
    /** Keeps some of the large ones. */
    giveBack(buffers: readonly Buffer[]): void {
      for (const buffer of buffers) {
        if (buffer.length === bytesPerRead && unused.length < keptReadBuffers) unused.push(buffer);
      }
    },
  };
}

/** On a folder, this makes its entries durable. */
async function sync(path: string): Promise<void> {
  await using handle = await open(path, 'r');
  await handle.sync();
}

function rethrowMissing(blob: string): (error: unknown) => never {
  return (error) => {
    throw codeOf(error) === 'ENOENT' ? new BlobMissing(blob, error) : error;
  };
}

function truncatedBlob(name: string, missing: number): Error {
  return new Error(`blob ${name} is truncated: ${missing} bytes are missing`);
}
