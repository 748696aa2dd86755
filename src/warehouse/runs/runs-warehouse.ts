import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../domain/errors.ts';
import type { Manifest, StagedRun } from '../../records/manifest.ts';
import type { Load, LoadAttempt, StagedLoad, Warehouse } from '../port.ts';
import { type Collector, createCollector } from './collector.ts';
import { wordsPerDevice } from './device-words.ts';
import { createPause } from './pause.ts';
import { createRunReader } from './run-file-reader.ts';
import { createRunFile, type RunFileWriter } from './run-file-writer.ts';
import { subtractRun } from './subtract.ts';

interface RunsWarehouseOptions {
  /** Where the run files lie; made if it is not there. */
  readonly directory: string;
  /** Read only: runs are added by whoever settles the job. */
  readonly manifest: Pick<Manifest, 'runsOf'>;
}

/** The embedded engine: segments as sorted runs in Parquet files. */
export async function openRunsWarehouse(options: RunsWarehouseOptions): Promise<Warehouse> {
  try {
    await mkdir(options.directory, { recursive: true });
  } catch (error) {
    throw unusable(options.directory, error);
  }
  return {
    beginLoad: (attempt) => beginLoad(options, attempt),
    checkReady: () => checkWritable(options.directory),
  };
}

function beginLoad(options: RunsWarehouseOptions, { jobId, attempt }: LoadAttempt): Load {
  const collector = createCollector();
  return {
    add: collector.add,
    stage: (signal) => stage(options, `job-${jobId}-${attempt}.parquet`, collector, signal),
  };
}

async function stage(
  { directory, manifest }: RunsWarehouseOptions,
  file: string,
  collector: Collector,
  signal: AbortSignal,
): Promise<StagedLoad> {
  const pause = createPause(signal);
  await pause();
  const collected = await collector.sort(pause);
  const existing = Map.groupBy(await manifest.runsOf(collected.segmentIds), (run) => run.segmentId);
  const reader = createRunReader(directory);
  const runs: StagedRun[] = [];
  // Whatever goes wrong below, this removes what was written.
  await using cleanup = new AsyncDisposableStack();
  let writer: RunFileWriter | undefined;
  for (const segmentId of collected.segmentIds) {
    await pause();
    let devices = collected.devicesOf(segmentId);
    for (const run of existing.get(segmentId) ?? []) {
      await using held = await reader.open(run);
      devices = await subtractRun(devices, held, pause);
    }
    if (devices.length === 0) continue;
    writer ??= cleanup.use(await createRunFile(directory, file));
    const written = await writer.writeRun(devices, pause);
    runs.push({ segmentId, file, ...written, devices: devices.length / wordsPerDevice });
  }
  await writer?.finish();
  return { uniqueDevices: collected.uniqueDevices, runs };
}

/** By writing, for permissions do not tell of a full or a read-only disk. */
async function checkWritable(directory: string): Promise<void> {
  const probe = join(directory, `ready-${randomUUID()}.tmp`);
  try {
    await writeFile(probe, 'ready').finally(() => rm(probe, { force: true }));
  } catch (error) {
    throw unusable(directory, error);
  }
}

function unusable(directory: string, cause: unknown): Error {
  return new Error(`the warehouse cannot write to ${directory}: ${messageOf(cause)}`, { cause });
}
