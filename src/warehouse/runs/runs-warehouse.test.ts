import { chmod, mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unprivileged } from '../../../test/support/unprivileged.ts';
import type { Run, StagedRun } from '../../records/manifest.ts';
import type { Warehouse } from '../port.ts';
import { openRunsWarehouse } from './runs-warehouse.ts';

const { signal } = new AbortController();
let directory: string;
let warehouse: Warehouse;
let runs: Run[];

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'tributary-warehouse-')), 'runs');
  runs = [];
  const runsOf = async (ids: readonly number[]) =>
    runs.filter((run) => ids.includes(run.segmentId));
  warehouse = await openRunsWarehouse({ directory, manifest: { runsOf } });
});
afterEach(() => rm(join(directory, '..'), { recursive: true }));

function device(number: number): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(4, number);
  return bytes;
}

function loadOf(jobId: number, devices: Iterable<number>, segmentIds: readonly number[]) {
  const load = warehouse.beginLoad({ jobId, attempt: 1 });
  for (const number of devices) load.add(device(number), segmentIds);
  return load;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

function commit(staged: readonly StagedRun[]): void {
  for (const run of staged) runs.push({ ...run, runId: runs.length });
}

describe('stage', () => {
  it('puts all runs of a load, by ascending segment, into one file named after the attempt', async () => {
    const staged = await loadOf(7, range(1, 11), [30, 4]).stage(signal);
    expect(staged.runs).toMatchObject([
      { segmentId: 4, file: 'job-7-1.parquet', firstRowGroup: 0, rowGroups: 1, devices: 10 },
      { segmentId: 30, file: 'job-7-1.parquet', firstRowGroup: 1, rowGroups: 1, devices: 10 },
    ]);
    expect(await readdir(directory)).toEqual(['job-7-1.parquet']);
  });

  it('gives no run to a segment without news, and writes no file without any', async () => {
    commit((await loadOf(1, range(1, 11), [1]).stage(signal)).runs);
    const more = loadOf(2, range(1, 11), [1]);
    more.add(device(5), [2]);
    const staged = await more.stage(signal);
    expect(staged).toMatchObject({ uniqueDevices: 10, runs: [{ segmentId: 2, devices: 1 }] });
    commit(staged.runs);
    expect(await loadOf(3, range(1, 11), [1]).stage(signal)).toEqual({
      uniqueDevices: 10,
      runs: [],
    });
    expect(await loadOf(4, [], [1]).stage(signal)).toEqual({ uniqueDevices: 0, runs: [] });
    expect(await readdir(directory)).toEqual(['job-1-1.parquet', 'job-2-1.parquet']);
  });

  it('leaves nothing behind when it is aborted while writing', async () => {
    const controller = new AbortController();
    const staging = loadOf(1, [1, 2, 3], range(1, 500)).stage(controller.signal);
    const outcome = expect(staging).rejects.toThrow('shutting down');
    while ((await readdir(directory)).length === 0) await setImmediate();
    expect(await readdir(directory)).toEqual(['job-1-1.parquet.tmp']);
    controller.abort(new Error('shutting down'));
    await outcome;
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves nothing behind when the file cannot get its name', async () => {
    await mkdir(join(directory, 'job-1-1.parquet'));
    await expect(loadOf(1, [1], [1]).stage(signal)).rejects.toThrow('EISDIR');
    await rm(join(directory, 'job-1-1.parquet'), { recursive: true });
    expect(await readdir(directory)).toEqual([]);
  });

  it('leaves nothing behind when a run that it must subtract is damaged', async () => {
    commit((await loadOf(1, range(1, 11), [2]).stage(signal)).runs);
    await using handle = await open(join(directory, 'job-1-1.parquet'), 'r+');
    await handle.write('!', 100);
    await expect(loadOf(2, range(5, 15), [1, 2]).stage(signal)).rejects.toThrow(
      'run file job-1-1.parquet cannot be read: row group 0, page 0: its checksum does not match',
    );
    expect(await readdir(directory)).toEqual(['job-1-1.parquet']);
  });

  it('lets the event loop turn while it sorts', async () => {
    let turns = 0;
    let sorting = true;
    const runsOf = async () => {
      sorting = false;
      return [];
    };
    warehouse = await openRunsWarehouse({ directory, manifest: { runsOf } });
    const staging = loadOf(1, range(0, 70_000), [1]).stage(signal);
    for (; sorting; turns++) await setImmediate();
    await staging;
    // These devices differ in three of their bytes: as many passes.
    expect(turns).toBeGreaterThan(3);
  });
});

describe('openRunsWarehouse', () => {
  it('names the directory when it cannot be made', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    const opening = openRunsWarehouse({ directory: file, manifest: { runsOf: async () => [] } });
    await expect(opening).rejects.toThrow(`the warehouse cannot write to ${file}: EEXIST`);
  });
});

describe('checkReady', () => {
  it('passes and leaves nothing behind when the directory can be written to', async () => {
    await warehouse.checkReady();
    expect(await readdir(directory)).toEqual([]);
  });

  it('names the directory when it is gone', async () => {
    await rm(directory, { recursive: true });
    await expect(warehouse.checkReady()).rejects.toThrow(
      `the warehouse cannot write to ${directory}: ENOENT`,
    );
  });

  it('names the directory when it may not write there', async () => {
    await chmod(directory, 0o500);
    await expect(unprivileged(warehouse.checkReady)).rejects.toThrow(
      `the warehouse cannot write to ${directory}: EACCES`,
    );
  });
});
