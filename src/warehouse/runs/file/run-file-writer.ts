import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { createPageSink } from './page-sink.ts';
import type { Pause } from './pause.ts';
import { createRowGroupBuilder, type WrittenRun } from './row-group-builder.ts';
import { devicesPerRowGroup, layOutEnd, parquetMagic } from './run-file-format.ts';

/** A file under way. Disposed of before it has its name, it leaves nothing behind. */
export interface UnnamedFile extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Makes the file durable and gives it its name. */
  finish(): Promise<void>;
}

export async function createUnnamedFile(directory: string, file: string): Promise<UnnamedFile> {
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
      // Settled, so that a failure here does not hide the one that led here.
      await Promise.allSettled([handle.close(), rm(path, { force: true })]);
    },
  };
}

/** A new name is only safe from a power cut once the directory that holds it is. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}

/** Writes the runs of one file. Disposed of before it has finished, it leaves nothing behind. */
export interface RunFileWriter extends AsyncDisposable {
  /** Appends a run; `devices` ascend and are distinct, 1 or more. */
  writeRun(devices: Uint32Array, pause: Pause): Promise<Omit<WrittenRun, 'devices'>>;
  /** Makes the file durable and gives it its name. */
  finish(): Promise<void>;
}

export async function createRunFile(directory: string, file: string): Promise<RunFileWriter> {
  const unnamed = await createUnnamedFile(directory, file);
  const builder = createRowGroupBuilder();
  const sink = createPageSink();
  let offset = 0;

  async function append(bytes: Uint8Array): Promise<void> {
    // Unlike write, writeFile goes on until all is written; from where the file now ends.
    await unnamed.handle.writeFile(bytes);
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
      if (!run) throw new RangeError('a run has at least one device');
      const { firstRowGroup, rowGroups, bytes } = run;
      return { firstRowGroup, rowGroups, bytes };
    },
    async finish() {
      await append(layOutEnd(builder.rowGroups, offset));
      await unnamed.finish();
    },
    [Symbol.asyncDispose]: () => unnamed[Symbol.asyncDispose](),
  };
}
