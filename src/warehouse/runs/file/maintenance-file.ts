import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ManifestConflict } from '../../../domain/errors.ts';
import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { RunFiles } from '../../../records/warehouse/run-files.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { createPause } from './pause.ts';
import { devicesPerRowGroup } from './run-file-format.ts';
import { createRunFile, type RunFileWriter } from './run-file-writer.ts';

/** A run file that maintenance writes. Disposed of before it has finished, it leaves nothing behind. */
export interface MaintenanceFile extends AsyncDisposable {
  /** Writes a run of the segment from batches that ascend; nothing if they are all empty. */
  write(segmentId: number, batches: AsyncIterable<Uint32Array>, signal: AbortSignal): Promise<void>;
  /** What was written, durable. */
  finish(): Promise<StagedRun[]>;
  /** Removes the finished file, whose runs the manifest has refused for good. */
  remove(): Promise<void>;
}

export interface MaintenanceFileOptions {
  readonly directory: string;
  readonly kind: 'universe' | 'compaction';
  readonly runFiles: Pick<RunFiles, 'announce' | 'renew'>;
}

/** How often the sweep is told that the file is still being written. */
const renewEveryMs = 60_000;

/** Made on the disk when there is something to write. */
export function createMaintenanceFile(options: MaintenanceFileOptions): MaintenanceFile {
  const { directory, kind, runFiles } = options;
  const file = `${kind}-${randomUUID()}.parquet`;
  const runs: StagedRun[] = [];
  let writer: RunFileWriter | undefined;
  let renewedAt = 0;

  async function open(): Promise<RunFileWriter> {
    if (writer) {
      if (Date.now() - renewedAt > renewEveryMs) await renew();
      return writer;
    }
    await runFiles.announce({ file, jobId: null, attempt: null });
    renewedAt = Date.now();
    writer = await createRunFile(directory, file);
    return writer;
  }

  async function renew(): Promise<void> {
    renewedAt = Date.now();
    if (!(await runFiles.renew(file))) throw new ManifestConflict(`${file} was swept`);
  }

  return {
    async write(segmentId, batches, signal) {
      const pause = createPause(signal);
      let run: StagedRun | undefined;
      for await (const devices of inRowGroups(batches)) {
        const { writeRun } = await open();
        const { firstRowGroup, rowGroups, bytes } = await writeRun(devices, pause);
        // Row groups that follow each other and ascend are one run, however they came about.
        run = {
          segmentId,
          file,
          firstRowGroup: run?.firstRowGroup ?? firstRowGroup,
          rowGroups: (run?.rowGroups ?? 0) + rowGroups,
          devices: (run?.devices ?? 0) + devices.length / wordsPerDevice,
          bytes: (run?.bytes ?? 0) + bytes,
        };
      }
      if (run) runs.push(run);
    },
    async finish() {
      await writer?.finish();
      return runs;
    },
    async remove() {
      await rm(join(directory, file), { force: true });
    },
    async [Symbol.asyncDispose]() {
      await writer?.[Symbol.asyncDispose]();
    },
  };
}

/** The same devices in batches of a row group each, but for the last. */
async function* inRowGroups(batches: AsyncIterable<Uint32Array>): AsyncGenerator<Uint32Array> {
  let rowGroup = new Uint32Array(0);
  let length = 0;
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; ) {
      if (rowGroup.length === 0) rowGroup = new Uint32Array(devicesPerRowGroup * wordsPerDevice);
      const part = batch.subarray(at, at + rowGroup.length - length);
      rowGroup.set(part, length);
      length += part.length;
      at += part.length;
      if (length < rowGroup.length) continue;
      yield rowGroup;
      length = 0;
    }
  }
  if (length > 0) yield rowGroup.subarray(0, length);
}
