import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Run } from '../../src/records/manifest.ts';
import { openRunsWarehouse } from '../../src/warehouse/runs/runs-warehouse.ts';
import { freshRecords } from '../support/database.ts';
import { describeWarehouse } from './warehouse.ts';

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

describeWarehouse('runs', async () => {
  const fresh = await freshRecords();
  const directory = await mkdtemp(join(tmpdir(), 'tributary-runs-'));
  const { manifest } = fresh.records;

  async function readRun(run: Run): Promise<string[]> {
    const path = join(directory, run.file);
    const rowsBefore = (rowGroup: number) =>
      `(select coalesce(sum(row_group_num_rows), 0) from parquet_metadata('${path}') where row_group_id < ${rowGroup})`;
    const rows = await query(`
      select device from read_parquet('${path}', file_row_number = true)
      where file_row_number >= ${rowsBefore(run.firstRowGroup)}
        and file_row_number < ${rowsBefore(run.firstRowGroup + run.rowGroups)}
      order by file_row_number`);
    return rows.map((row) => String(row.device));
  }

  return {
    warehouse: await openRunsWarehouse({ directory, manifest }),
    records: fresh.records,
    readRun,
    async [Symbol.asyncDispose]() {
      await fresh[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
});

describe('a run file, read by DuckDB', () => {
  const { signal } = new AbortController();
  const devices = (1 << 20) + 5000;
  let directory: string;
  let path: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tributary-runs-'));
    const warehouse = await openRunsWarehouse({
      directory,
      manifest: { runsOf: async () => [] },
    });
    const load = warehouse.beginLoad({ jobId: 1, attempt: 1 });
    const device = Buffer.alloc(16, 0x5c);
    for (let i = 0; i < devices; i++) {
      // An odd factor permutes the numbers: all differ, and they come unsorted.
      device.writeUInt32BE(Math.imul(i, 0x9e37_79b1) >>> 0, 0);
      load.add(device, i < 3 ? [1, 2] : [2]);
    }
    const staged = await load.stage(signal);
    expect(staged.runs).toMatchObject([
      { segmentId: 1, firstRowGroup: 0, rowGroups: 1, devices: 3 },
      { segmentId: 2, firstRowGroup: 1, rowGroups: 2, devices },
    ]);
    path = join(directory, 'job-1-1.parquet');
  }, 60_000);
  afterAll(() => rm(directory, { recursive: true }));

  it('is a table of one UUID column that may not be null', async () => {
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

  it('ascends strictly across the row groups of a run', async () => {
    const rows = await query(`
      select count(*) as devices, count(*) filter (device <= previous) as misplaced
      from (select device, lag(device) over (order by file_row_number) as previous
            from read_parquet('${path}', file_row_number = true) where file_row_number >= 3)`);
    expect(rows).toEqual([{ devices: String(devices), misplaced: '0' }]);
  });

  it('has true statistics, in an order that readers may rely on', async () => {
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
