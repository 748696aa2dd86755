import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskReserve } from '../../../domain/disk-reserve.ts';
import type { StagedRun } from '../../../records/warehouse/manifest.ts';
import type { RunFiles } from '../../../records/warehouse/run-files.ts';
import { keepRegistered, type Registration } from '../../keep-registered.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { createPause } from './pause.ts';
import { devicesPerRowGroup } from './run-file-format.ts';
import { createRunFile, type RunFileWriter } from './run-file-writer.ts';

/**
 * A run file written by maintenance. The sweep leaves it alone until it is disposed. If disposed
 * before it is finished, it is deleted.
 */
export interface MaintenanceFile extends AsyncDisposable {
  /** Writes a run of the segment from ascending batches; no run if all are empty. */
  write(segmentId: number, batches: AsyncIterable<Uint32Array>, signal: AbortSignal): Promise<void>;
  /** Makes the file durable and returns its runs. */
  finish(): Promise<StagedRun[]>;
  /** Deletes the finished file after the commit of its runs failed for good. */
  remove(): Promise<void>;
}

export interface MaintenanceFileOptions {
  readonly directory: string;
  readonly kind: 'universe' | 'compaction' | 'suppression' | 'erasure' | 'copy';
  readonly reserve: DiskReserve;
  readonly runFiles: Pick<RunFiles, 'register' | 'renew'>;
}

/** Creates the file on disk with the first write. */
export function createMaintenanceFile(options: MaintenanceFileOptions): MaintenanceFile {
  const { directory, kind, runFiles, reserve } = options;
  const file = `${kind}-${randomUUID()}.parquet`;
  const runs: StagedRun[] = [];
  let registration: Registration | undefined;
  let writer: RunFileWriter | undefined;

  async function open(): Promise<RunFileWriter> {
    if (writer) return writer;
    await runFiles.register({ file, jobId: null, attempt: null });
    registration = keepRegistered(runFiles, file);
    writer = await createRunFile(directory, file, reserve);
    return writer;
  }

  return {
    async write(segmentId, batches, signal) {
      const pause = createPause(signal);
      let run: StagedRun | undefined;
      for await (const devices of inRowGroups(batches)) {
        const { writeRun } = await open();
        const { firstRowGroup, rowGroups, bytes } = await writeRun(devices, pause);
        // Consecutive ascending row groups form one run, however they were written.
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
      await registration?.check();
      await writer?.finish();
      return runs;
    },
    async remove() {
      await rm(join(directory, file), { force: true });
    },
    async [Symbol.asyncDispose]() {
      registration?.[Symbol.dispose]();
      await writer?.[Symbol.asyncDispose]();
    },
  };
}

/** Regroups the devices into batches of a row group each; the last may be smaller. */
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
