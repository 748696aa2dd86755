import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../src/records/warehouse/manifest.ts';
import { createRunFile } from '../../src/warehouse/runs/file/run-file-writer.ts';
import { freshRecords } from '../support/database.ts';
import { openTestWarehouse } from '../support/warehouse.ts';
import { describeWarehouse } from './warehouse.ts';
import { signal } from './warehouse-bench.ts';

let duckdb: DuckDBConnection;

beforeAll(async () => {
  const instance = await DuckDBInstance.create();
  duckdb = await instance.connect();
});
afterAll(() => duckdb.closeSync());

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const result = await duckdb.runAndReadAll(sql);
  return result.getRowObjectsJson();
}

/** Reads the devices of any number of runs with two queries. */
async function readRuns(directory: string, runs: readonly Run[]): Promise<string[][]> {
  if (runs.length === 0) return [];
  const files = [...new Set(runs.map(({ file }) => join(directory, file)))];
  const list = `[${files.map((file) => `'${file}'`).join(', ')}]`;
  const groups = await query(`
    select distinct file_name as file, row_group_id as number, row_group_num_rows as rows
    from parquet_metadata(${list}) order by all`);
  const contents = await query(`
    select filename as file, list(device order by file_row_number) as devices
    from read_parquet(${list}, filename = true, file_row_number = true) group by filename`);
  const byFile = new Map(contents.map(({ file, devices }) => [file, devices as string[]]));
  return runs.map((run) => {
    const path = join(directory, run.file);
    const rowsBefore = (rowGroup: number) =>
      groups
        .filter(({ file, number }) => file === path && Number(number) < rowGroup)
        .reduce((sum, { rows }) => sum + Number(rows), 0);
    const [begin, end] = [run.firstRowGroup, run.firstRowGroup + run.rowGroups].map(rowsBefore);
    return byFile.get(path)!.slice(begin, end);
  });
}

describeWarehouse('runs', async () => {
  await using setup = new AsyncDisposableStack();
  const { records } = setup.use(await freshRecords());
  const directory = await mkdtemp(join(tmpdir(), 'tributary-runs-'));
  setup.defer(() => rm(directory, { recursive: true }));
  const warehouse = setup.use(await openTestWarehouse(directory, records));
  const resources = setup.move();
  return {
    warehouse,
    records,
    reopen: (given) => openTestWarehouse(directory, given),
    maintenance: {
      compact: () => warehouse.compact({ rewriteAfterSeconds: 0, crowdedAbove: 2 }, signal),
      sweep: () => warehouse.sweep(0),
    },
    readRuns: (runs) => readRuns(directory, runs),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
});

describe('a run file, read by DuckDB', () => {
  const devices = (1 << 20) + 5000;
  let directory: string;
  let path: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tributary-runs-'));
    path = join(directory, 'job-1-1.parquet');
    const words = new Uint32Array(devices * 4).fill(0x5c5c_5c5c);
    for (let i = 0; i < devices; i++) words[i * 4] = i * 4000;
    await using writer = await createRunFile(directory, 'job-1-1.parquet');
    const runs = [words.subarray(0, 12), words];
    const places = [];
    for (const run of runs) places.push(await writer.writeRun(run, async () => {}));
    await writer.finish();
    expect(places).toMatchObject([
      { firstRowGroup: 0, rowGroups: 1 },
      { firstRowGroup: 1, rowGroups: 2 },
    ]);
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('is a table with one non-null UUID column', async () => {
    expect(await query(`describe select * from '${path}'`)).toMatchObject([
      { column_name: 'device', column_type: 'UUID' },
    ]);
    expect(await query(`select * from parquet_schema('${path}') where name = 'device'`)).toEqual([
      expect.objectContaining({
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: '16',
        repetition_type: 'REQUIRED',
        logical_type: 'UUIDType()',
      }),
    ]);
  });

  it('is strictly ascending across the row groups of a run', async () => {
    const rows = await query(`
      select count(*) as devices, count(*) filter (device <= previous) as misplaced
      from (select device, lag(device) over (order by file_row_number) as previous
            from read_parquet('${path}', file_row_number = true) where file_row_number >= 3)`);
    expect(rows).toEqual([{ devices: String(devices), misplaced: '0' }]);
  });

  it('has correct statistics, and declares their sort order', async () => {
    const groups = await query(`
      select row_group_num_rows as rows, stats_min_value as min, stats_max_value as max
      from parquet_metadata('${path}') order by row_group_id`);
    let before = 0;
    for (const { rows, min, max } of groups) {
      const range = `file_row_number between ${before} and ${before + Number(rows) - 1}`;
      expect(
        await query(`select min(device) as min, max(device) as max
          from read_parquet('${path}', file_row_number = true) where ${range}`),
      ).toEqual([{ min, max }]);
      before += Number(rows);
    }
    expect(groups.map(({ rows }) => rows)).toEqual(['3', String(1 << 20), '5000']);
    expect(await query(`select column_orders from parquet_file_metadata('${path}')`)).toEqual([
      { column_orders: ['ColumnOrder(TYPE_ORDER=TypeDefinedOrder())'] },
    ]);
  });

  it('finds a device by its value', async () => {
    const first = '00000000-5c5c-5c5c-5c5c-5c5c5c5c5c5c';
    expect(await query(`select count(*) as n from '${path}' where device = '${first}'`)).toEqual([
      { n: '2' },
    ]);
  });
});
