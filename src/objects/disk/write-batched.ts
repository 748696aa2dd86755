import type { FileHandle } from 'node:fs/promises';

const bytesPerWrite = 4 << 20;
/** What one system call takes at most on Linux. */
const chunksPerWrite = 1_024;
/** What waits to be synced at the end would be waited for; synced on the way, it is not. */
const bytesPerSync = 32 << 20;

/**
 * Writes the content at the file's position, durably, and returns its size. While a batch is being
 * written the next is taken in and looked at, so hashing and the disk work side by side; no more
 * than two batches are in memory, whatever the size.
 */
export async function writeBatched(
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  look: (chunk: Uint8Array) => void,
): Promise<number> {
  let size = 0;
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let writing = Promise.resolve();
  let unsynced = 0;
  let syncing = Promise.resolve();
  try {
    for await (const chunk of content) {
      look(chunk);
      size += chunk.length;
      batchBytes += chunk.length;
      batch.push(chunk);
      if (batchBytes < bytesPerWrite && batch.length < chunksPerWrite) continue;
      await writing;
      writing = writeWhole(file, batch, batchBytes);
      // Met at the next batch or at the end; until then it is no unhandled one.
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
    if (batchBytes > 0) await writeWhole(file, batch, batchBytes);
    await syncing;
    await file.sync();
    return size;
  } finally {
    // The file may not be closed under a write.
    await Promise.allSettled([writing, syncing]);
  }
}

/** The system may write less than it was asked to, for one when the disk is nearly full. */
async function writeWhole(file: FileHandle, batch: Uint8Array[], bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(batch);
  if (bytesWritten < bytes) await file.appendFile(Buffer.concat(batch).subarray(bytesWritten));
}
