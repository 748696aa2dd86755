import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkWhileWriting, noReserve } from '../../../domain/disk-reserve.ts';
import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { createPageSink } from './page-sink.ts';
import type { Pause } from './pause.ts';
import { createRowGroupBuilder, type WrittenRun } from './row-group-builder.ts';
import { devicesPerRowGroup, encodeFooter, parquetMagic } from './run-file-format.ts';

/** A file with a temporary name. If disposed before it is finished, it is deleted. */
export interface PendingFile extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Makes the file durable and renames it to its final name. */
  finish(): Promise<void>;
}

export async function createPendingFile(directory: string, file: string): Promise<PendingFile> {
  let path = join(directory, `${file}.tmp`);
  const handle = await open(path, 'w');
  let finished = false;
  return {
    handle,
    async finish() {
      await handle.sync();
      await handle.close();
      await rename(path, join(directory, file));
      path = join(directory, file);
      await syncDirectory(directory);
      finished = true;
    },
    async [Symbol.asyncDispose]() {
      if (finished) return;
      // allSettled, so that a failure here does not hide the original error.
      await Promise.allSettled([handle.close(), rm(path, { force: true })]);
    },
  };
}

/** Creating, renaming or deleting a file survives a power cut only once its directory is synced. */
export async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}

/** Writes the runs of one file. If disposed before it is finished, the file is deleted. */
export interface RunFileWriter extends AsyncDisposable {
  /** Appends a run of one or more ascending, distinct devices. */
  writeRun(devices: Uint32Array, pause: Pause): Promise<WrittenRun>;
  /** Makes the file durable and renames it to its final name. */
  finish(): Promise<void>;
}

/** Throws a `storage_full` error if the disk has less free space than maintenance may use. */
export async function createRunFile(
  directory: string,
  file: string,
  reserve = noReserve,
): Promise<RunFileWriter> {
  const pending = await createPendingFile(directory, file);
  const builder = createRowGroupBuilder();
  const sink = createPageSink();
  const checkSpace = checkWhileWriting(reserve, 'maintenance');
  let offset = 0;

  async function append(bytes: Uint8Array): Promise<void> {
    await checkSpace(bytes.length);
    // Unlike write, writeFile appends all bytes, even after a short write.
    await pending.handle.writeFile(bytes);
    offset += bytes.length;
  }

  return {
    async writeRun(devices, pause) {
      if (offset === 0) await append(parquetMagic);
      const step = devicesPerRowGroup * wordsPerDevice;
      for (let at = 0; at < devices.length; at += step) {
        sink.empty();
        sink.add(devices.subarray(at, at + step));
        builder.add(sink.table(), offset);
        await append(sink.content());
        await pause();
      }
      const run = builder.endRun();
      if (!run) throw new RangeError('a run must have at least one device');
      return run;
    },
    async finish() {
      await append(encodeFooter(builder.rowGroups, offset));
      await pending.finish();
    },
    [Symbol.asyncDispose]: () => pending[Symbol.asyncDispose](),
  };
}
