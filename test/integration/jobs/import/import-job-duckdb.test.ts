import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImportLog } from '../../../../src/records/marketplace/import-logs.ts';
import type { Run } from '../../../../src/records/warehouse/manifest.ts';
import { deviceNumber } from '../../../support/devices.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../../support/imports.ts';

let imports: Imports;
let acme: ImportingPartner;
let attributes: number[];
let duckdb: DuckDBConnection;
let sources: string;
let logs: Map<string, ImportLog>;

beforeAll(async () => {
  imports = await freshImports();
  acme = await imports.partner();
  attributes = [await acme.attribute(), await acme.attribute(), await acme.attribute()];
  const instance = await DuckDBInstance.create();
  duckdb = await instance.connect();
  sources = await mkdtemp(join(tmpdir(), 'tributary-sources-'));
  logs = new Map([
    ['1.csv', await importFile('1.csv', 1, 9_000)],
    ['2.csv', await importFile('2.csv', 4_000, 6_000)],
    ['3.csv', await importFile('3.csv', 5_000, 14_000)],
  ]);
});
afterAll(async () => {
  duckdb.closeSync();
  await rm(sources, { recursive: true });
  await imports[Symbol.asyncDispose]();
});

async function column(sql: string): Promise<string[]> {
  const result = await duckdb.runAndReadAll(sql);
  return result.getRowsJson().map(([value]) => String(value));
}

/** Imports rows with repeated devices, several attributes, and upper and lower case. */
async function importFile(name: string, firstRow: number, lastRow: number): Promise<ImportLog> {
  const lines = ['id,attribute_ids'];
  for (let row = firstRow; row <= lastRow; row++) {
    const device = deviceNumber(row % 7_000);
    const keys = attributes.filter((_, n) => row % (n + 2) === 0 || n === row % 3).join('|');
    lines.push(`${row % 5 === 0 ? device.toUpperCase() : device},${keys}`);
  }
  const content = `${lines.join('\n')}\n`;
  await acme.put(name, content);
  await writeFile(join(sources, name), content);
  return acme.import(name);
}

function sourceRows(name: string): string {
  return `read_csv('${join(sources, name)}', header = true, delim = ',', all_varchar = true)`;
}

/** The devices of a run, in the order of its file. */
async function devicesOf(run: Run): Promise<string[]> {
  const file = join(imports.warehouseDir, run.file);
  return column(`
    with row_group as (
      select distinct row_group_id as id, row_group_num_rows as size from parquet_metadata('${file}')
    ), span as (
      select coalesce(sum(size) filter (id < ${run.firstRowGroup}), 0) as first,
        sum(size) filter (id < ${run.firstRowGroup + run.rowGroups}) as past
      from row_group
    )
    select device from read_parquet('${file}', file_row_number = true), span
    where file_row_number >= first and file_row_number < past
    order by file_row_number`);
}

it('DuckDB counts in each imported file the numbers of its log', async () => {
  for (const [name, { state, totalRows, uniqueDevices }] of logs) {
    const [counted] = await column(
      `select (count(*), count(distinct id::uuid))::varchar from ${sourceRows(name)}`,
    );
    expect([state, `(${totalRows}, ${uniqueDevices})`]).toEqual(['done', counted]);
  }
});

it('DuckDB finds in the run files of an attribute exactly the devices of the imported files', async () => {
  const { segmentIds, numbers } = await imports.records.attributes.segmentKeys(acme.partnerId, 0);
  const reported = await acme.counts();
  for (const [n, attribute] of attributes.entries()) {
    const runs = await imports.records.manifest.runsOf([
      segmentIds[numbers.get(String(attribute))!]!,
    ]);
    const found: string[] = [];
    for (const run of runs) {
      const devices = await devicesOf(run);
      expect(devices).toHaveLength(run.devices);
      found.push(...devices);
    }
    const expected = await column(`
      select distinct id::uuid as device from ${sourceRows('*.csv')}
      where list_contains(string_split(attribute_ids, '|'), '${attribute}') order by device`);
    expect(runs.length).toBeGreaterThan(1);
    expect(found.toSorted()).toEqual(expected);
    expect(reported[n]).toBe(expected.length);
  }
});
