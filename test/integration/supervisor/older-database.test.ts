import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { readVersion } from '../../../src/config/version.ts';
import { recordDataAge } from '../../../src/data-dir/data-age.ts';
import { openTrash } from '../../../src/data-dir/trash.ts';
import { noReserve } from '../../../src/domain/disk-reserve.ts';
import { openDiskStore } from '../../../src/objects/disk/disk-store.ts';
import { acceptDatabase } from '../../../src/process/recover.ts';
import { prepareDatabase } from '../../../src/supervisor/prepare-database.ts';
import { copyOfDatabase, type FreshRecords } from '../../support/database.ts';
import { deviceRows as rows } from '../../support/devices.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../support/imports.ts';
import { testSealing } from '../../support/sealing.ts';
import { openTestWarehouse } from '../../support/warehouse.ts';

let dataDir: string;
let imports: Imports;
let acme: ImportingPartner;
let tea: number;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-data-'));
  imports = await freshImports({ path: dataDir, reserve: noReserve });
  await start(imports.database);
  acme = await imports.partner();
  tea = await acme.attribute();
});
afterEach(async () => {
  await imports[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

function configOf({ url, schema }: Pick<FreshRecords, 'url' | 'schema'>) {
  const env = {
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_DATABASE_SCHEMA: schema,
    DATABASE_URL: url,
  };
  return { ...readConfig(env, '/'), databaseUrl: url };
}

/** What every start does before anything else. */
function start(database: Pick<FreshRecords, 'url' | 'schema'>): Promise<void> {
  return prepareDatabase(configOf(database), testSealing);
}

/** What a worker does every few seconds. */
async function recordAge(): Promise<void> {
  await recordDataAge(dataDir, await imports.records.dataChanges.latest());
}

async function load(file: string, from: number, to: number): Promise<void> {
  await acme.put(file, rows(from, to, tea));
  expect(await acme.import(file)).toMatchObject({ state: 'done', uniqueDevices: to - from });
}

/** The run files and blobs by name, with whether they are in the trash. */
async function files(): Promise<Map<string, boolean>> {
  const found = new Map<string, boolean>();
  for (const folder of ['warehouse', 'objects']) {
    const entries = await readdir(join(dataDir, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile()) found.set(entry.name, entry.parentPath.includes('/trash/'));
    }
  }
  return found;
}

/** What maintenance does, after all grace periods. */
async function sweepAll({ records }: FreshRecords): Promise<void> {
  await using warehouse = await openTestWarehouse(join(dataDir, 'warehouse'), records);
  await warehouse.sweep(0);
  const folder = join(dataDir, 'objects');
  const objects = await openDiskStore(folder, records.objectIndex, records.uploads);
  await objects.sweep(0, openTrash(folder, 7));
}

test('a database older than the data dir is refused; if it is accepted, no file is lost', async () => {
  await load('first.csv', 0, 10);
  // A load that runs during the backup and commits after it.
  const inFlight = 'job-9-1-00000000.parquet';
  await imports.records.runFiles.register({ file: inFlight, jobId: null, attempt: null });
  await writeFile(join(imports.warehouseDir, inFlight), '');
  const known = new Set((await files()).keys());
  known.delete(inFlight);
  await using older = await copyOfDatabase(imports.database);
  await load('second.csv', 10, 30);
  await recordAge();
  const all = [...(await files()).keys()];
  const unknown = all.filter((name) => !known.has(name));
  expect(unknown).toHaveLength(3);

  await expect(start(older)).rejects.toThrow(/^The database is older than the files in /);
  await expect(start(older)).rejects.toThrow('tributary recover --accept-older-database');
  await acceptDatabase(configOf(older));
  await start(older);
  // From now on its own changes count.
  await start(older);
  await sweepAll(older);
  expect(await files()).toEqual(new Map(all.map((name) => [name, unknown.includes(name)])));

  await start(imports.database);
  expect(await files()).toEqual(new Map(all.map((name) => [name, false])));
  expect(await acme.import('second.csv')).toMatchObject({ state: 'done', uniqueDevices: 20 });
  expect(await acme.counts()).toEqual([30]);
});

test('every kind of change counts, and reading does not', async () => {
  const { records } = imports;
  const latest = () => records.dataChanges.latest();
  let before = await latest();
  const changes: Record<string, () => Promise<unknown>> = {
    upload: () => acme.put('first.csv', rows(0, 10, tea)),
    import: () => acme.import('first.csv'),
    fold: () => imports.warehouse.refreshUniverse(new AbortController().signal),
    'replaced object': () => acme.put('first.csv', rows(0, 10, tea)),
    'deleted object': () => records.objectIndex.remove([`${acme.prefix}first.csv`]),
    deletion: () => acme.delete([tea]),
  };
  for (const [name, change] of Object.entries(changes)) {
    await change();
    const after = await latest();
    expect(after, name).toBeGreaterThan(before);
    before = after;
  }
  expect(await acme.counts()).toEqual([0]);
  await records.objectIndex.remove(['missing']);
  expect(await latest()).toBe(before);
  const { rows: left } = await sql`select from data_change`.execute(imports.db);
  expect(left).toHaveLength(1);
});

test('a data dir that lags behind, or that records nothing yet, accepts the database', async () => {
  await recordAge();
  await load('first.csv', 0, 10);
  await start(imports.database);
  await rm(join(dataDir, 'changes'));
  await start(imports.database);
  const recorded = await readFile(join(dataDir, 'changes'), 'utf8');
  expect(Number(recorded)).toBe(await imports.records.dataChanges.latest());
  // A running process that meets an older database does not hide that.
  await recordDataAge(dataDir, 1);
  expect(await readFile(join(dataDir, 'changes'), 'utf8')).toBe(recorded);
});

test('a data dir that records nothing yet has nothing to accept', async () => {
  const config = configOf(imports.database);
  const empty = { ...config, dataDir: join(dataDir, 'other') };
  await expect(acceptDatabase(empty)).rejects.toThrow('There is nothing to recover');
});

test('a start records its version, and refuses a database of a newer one', async () => {
  expect(await readFile(join(dataDir, 'version'), 'utf8')).toBe(`${readVersion()}\n`);
  await sql`
    insert into migration (number, name) select max(number) + 1, 'newer' from migration
  `.execute(imports.db);
  await expect(start(imports.database)).rejects.toThrow(
    /^The database was upgraded by a newer Tributary: its schema is version \d+, and Tributary \d+\.\d+\.\d+ supports only \d+\. Run /,
  );
});
