import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unprivileged } from '../../../test/support/unprivileged.ts';
import type { Records } from '../../records/records.ts';
import type { Manifest } from '../../records/warehouse/manifest.ts';
import type { Load, MaintainedWarehouse } from '../port.ts';
import { openRunsWarehouse } from './runs-warehouse.ts';
import { batchOf, spreadDevice } from './testing/rows.ts';

const { signal } = new AbortController();
const meaning = { segmentIds: [30, 4], everyRow: null, mode: 'merge' as const };
let directory: string;
let warehouse: MaintainedWarehouse;

/** An empty warehouse. */
function open(at: string, { threads = 1, lanes = 1 } = {}): Promise<MaintainedWarehouse> {
  const manifest = { runsOf: async () => [] } as unknown as Manifest;
  const records = { manifest, runFiles: { register: async () => {} } } as unknown as Records;
  const trash = { add: async () => {}, removeExpired: async () => 0 };
  return openRunsWarehouse({ directory: at, records, threads, memoryBytes: 1 << 20, lanes, trash });
}

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'tributary-warehouse-')), 'runs');
  warehouse = await open(directory);
});
afterEach(async () => {
  await warehouse[Symbol.asyncDispose]();
  await rm(join(directory, '..'), { recursive: true });
});

async function loadOf(jobId: number, count: number, into = warehouse): Promise<Load> {
  const load = into.beginLoad({ jobId, attempt: 1 });
  const rows = Array.from({ length: count }, (_, i) => ({
    device: spreadDevice(i),
    names: [0, 1],
  }));
  await load.add(batchOf(rows));
  return load;
}

describe('stage', () => {
  it('writes all runs of a load to one file named after the attempt', async () => {
    await using load = await loadOf(7, 10);
    const name = /^job-7-1-[0-9a-f]{8}\.parquet$/;
    expect(await load.stage(meaning, signal)).toEqual({
      uniqueDevices: 10,
      suppressedDevices: 0,
      change: {
        drop: [],
        add: [30, 4].map((segmentId, firstRowGroup) => ({
          segmentId,
          file: expect.stringMatching(name),
          firstRowGroup,
          rowGroups: 1,
          devices: 10,
          bytes: expect.any(Number),
        })),
      },
    });
    expect(await readdir(directory)).toEqual([expect.stringMatching(name)]);
  });

  it('writes no file for an empty load', async () => {
    await using load = warehouse.beginLoad({ jobId: 1, attempt: 1 });
    const staged = await load.stage(meaning, signal);
    expect(staged).toMatchObject({ uniqueDevices: 0, change: { add: [], drop: [] } });
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('openRunsWarehouse', () => {
  it.each([1, 16, 17, 40])('has memory for two large loads in each of %i lanes', async (lanes) => {
    await using many = await open(directory, { lanes });
    await using loads = new AsyncDisposableStack();
    // All of them keep their blocks until the last one is staged.
    for (let jobId = 1; jobId < 2 * lanes; jobId++) loads.use(await loadOf(jobId, 3000, many));
    const last = loads.use(await loadOf(2 * lanes, 3000, many));
    expect(await last.stage(meaning, signal)).toMatchObject({ uniqueDevices: 3000 });
  });

  it('refuses more lanes than it has memory for, and names the settings', async () => {
    const opening = open(directory, { threads: 64, lanes: 100 });
    await expect(opening).rejects.toThrow(
      /^201 concurrent loads on 64 threads need up to \d+ GiB of memory, but at most 8 GiB can be used: lower TRIBUTARY_WORKER_CONCURRENCY or TRIBUTARY_LOAD_MEMORY_MB$/,
    );
  });

  it('names the directory when it cannot be created', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await expect(open(file)).rejects.toThrow(`the warehouse cannot write to ${file}: EEXIST`);
  });
});

describe('checkReady', () => {
  it('passes and leaves no file behind when the directory is writable', async () => {
    await warehouse.checkReady();
    expect(await readdir(directory)).toEqual([]);
  });

  it('names the directory when it is missing', async () => {
    await rm(directory, { recursive: true });
    await expect(warehouse.checkReady()).rejects.toThrow(
      `the warehouse cannot write to ${directory}: ENOENT`,
    );
  });

  it('names the directory when it is not writable', async () => {
    await chmod(directory, 0o500);
    await expect(unprivileged(warehouse.checkReady)).rejects.toThrow(
      `the warehouse cannot write to ${directory}: EACCES`,
    );
  });
});
