import type { FileHandle } from 'node:fs/promises';
import type { SpaceCheck } from '../../domain/disk-reserve.ts';

/** More than this at a time makes a write no faster. */
const mostBytesPerWrite = 4 << 20;
const leastBytesPerWrite = 256 << 10;
/** Memory for the batches of all writes of a process together, unless there are more than 128. */
const memoryBytes = 64 << 20;
/** Linux's limit for one system call. */
const chunksPerWrite = 1_024;
/** Syncing along the way keeps the final sync short. */
const bytesPerSync = 32 << 20;

/** How many writes are in progress. */
let writes = 0;

/** Each write has two batches in memory, also while its client sends nothing. */
function bytesPerWrite(): number {
  return Math.min(mostBytesPerWrite, Math.max(leastBytesPerWrite, memoryBytes / (2 * writes)));
}

/**
 * Writes the content durably at the file's position and returns its size. The next batch is read and
 * hashed while the previous one is written, so at most two batches are in memory. The more writes are in
 * progress, the smaller are their batches.
 */
export async function writeBatched(
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
  checkSpace: SpaceCheck = () => undefined,
): Promise<number> {
  let size = 0;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let writing = Promise.resolve();
  let unsynced = 0;
  let syncing = Promise.resolve();
  writes++;
  try {
    for await (const chunk of content) {
      onChunk(chunk);
      size += chunk.length;
      batchBytes += chunk.length;
      batch.push(chunk);
      if (batchBytes < bytesPerWrite() && batch.length < chunksPerWrite) continue;
      await writing;
      await checkSpace(batchBytes);
      writing = writeAll(file, batch, batchBytes);
      // The next batch or the end awaits it; this only avoids an unhandled rejection.
      writing.catch(() => {});
      unsynced += batchBytes;
      batch = [];
      batchBytes = 0;
      if (unsynced < bytesPerSync) continue;
      unsynced = 0;
      syncing = syncing.then(() => file.datasync());
      syncing.catch(() => {});
    }
    await writing;
    if (batchBytes > 0) {
      await checkSpace(batchBytes);
      await writeAll(file, batch, batchBytes);
    }
    await syncing;
    await file.sync();
    return size;
  } finally {
    writes--;
    // The file must not be closed during a write.
    await Promise.allSettled([writing, syncing]);
  }
}

/** A system call may write only part of the batch, for example when the disk is nearly full. */
async function writeAll(file: FileHandle, batch: Uint8Array[], bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(batch);
  if (bytesWritten < bytes) await file.appendFile(Buffer.concat(batch).subarray(bytesWritten));
}
