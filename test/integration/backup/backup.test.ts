import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFolderTarget } from '../../../src/backup/folder-target.ts';
import {
  listSets,
  type Manifest,
  readManifest,
  writeManifest,
} from '../../../src/backup/manifest.ts';
import { expiredSets } from '../../../src/backup/remove-backups.ts';
import { createRecorded, removeRecorded } from '../../../src/backup/run-recorded.ts';
import type { BackupTarget } from '../../../src/backup/target.ts';
import { verifyBackups } from '../../../src/backup/verify-backup.ts';
import { type Config, readConfig } from '../../../src/config/config.ts';
import { recordDataAge } from '../../../src/data-dir/data-age.ts';
import { lockDataDir } from '../../../src/data-dir/data-dir.ts';
import { openSuppressionFile } from '../../../src/data-dir/suppression-file.ts';
import { openTrash } from '../../../src/data-dir/trash.ts';
import { noReserve } from '../../../src/domain/disk-reserve.ts';
import type { DiskStore } from '../../../src/objects/disk/disk-store.ts';
import {
  createHere,
  isServiceRunning,
  listHere,
  removeHere,
  restoreHere,
  verifyHere,
} from '../../../src/process/backup.ts';
import { backupTask } from '../../../src/process/backup-task.ts';
import { checkRestored, checkRestoredHere } from '../../../src/process/restore-check.ts';
import { openDatabase } from '../../../src/records/database/connection.ts';
import { createRecords } from '../../../src/records/records.ts';
import { prepareDatabase } from '../../../src/supervisor/prepare-database.ts';
import type { MaintainedWarehouse } from '../../../src/warehouse/port.ts';
import { unusedSchema } from '../../support/database.ts';
import { deviceRows as rows } from '../../support/devices.ts';
import { startTestEndpoint } from '../../support/endpoint.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../support/imports.ts';
import { quickFolder } from '../../support/quick-folder.ts';
import { testSealing, testSecretKey } from '../../support/sealing.ts';

const { signal } = new AbortController();
const silent = () => {};

let folder: string;
let dataDir: string;
let target: BackupTarget;
let imports: Imports;
let acme: ImportingPartner;
let tea: number;

beforeEach(async () => {
  folder = await mkdtemp(join(await quickFolder(), 'tributary-backup-'));
  dataDir = join(folder, 'data');
  (await lockDataDir(dataDir))[Symbol.dispose]();
  await writeFile(join(dataDir, 'secret-key'), `${testSecretKey}\n`);
  await writeFile(join(dataDir, 'admin-token'), 'the token\n');
  target = openFolderTarget(join(folder, 'backups'));
  imports = await freshImports({ path: dataDir, reserve: noReserve });
  await prepareDatabase(configOf(imports.database), testSealing);
  acme = await imports.partner();
  tea = await acme.attribute();
  await load('first.csv', 0, 10);
});
afterEach(async () => {
  await imports[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function configOf({ url, schema }: { url: string; schema: string }, into = dataDir) {
  const env = { TRIBUTARY_DATA_DIR: into, TRIBUTARY_DATABASE_SCHEMA: schema, DATABASE_URL: url };
  return { ...readConfig(env, '/'), databaseUrl: url };
}

async function load(file: string, from: number, to: number): Promise<void> {
  await acme.put(file, rows(from, to, tea));
  expect(await acme.import(file)).toMatchObject({ state: 'done', uniqueDevices: to - from });
}

function serviceHere(config: Config = configOf(imports.database)) {
  return { config, records: imports.records, database: imports.database };
}

function create(config?: Config): Promise<Manifest> {
  return createRecorded(serviceHere(config), target, null, silent, signal);
}

/** Rows that hardly compress. */
async function fillTable(rowsInTable: number): Promise<void> {
  await sql`
    insert into audit_entry (request_id, action, target, remote_address)
    select '', '', encode(sha256(int8send(n)) || sha256(int8send(-n)), 'base64'), ''
    from generate_series(1, ${rowsInTable}) as n
  `.execute(imports.db);
}

/** All files of the target by path, with their sizes. */
async function targetFiles(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { path, size } of target.listFiles()) found.set(path, size);
  for await (const { path, size } of target.listSets()) found.set(path, size);
  return found;
}

test('a set is restored with its data and its key, and the service goes on', async () => {
  const job = await acme.queue('first.csv');
  const running = await imports.claim();
  expect(running.jobId).toBe(job);
  const manifest = await create();
  expect(manifest).toMatchObject({ files: 2, missing: [], elsewhere: [] });
  expect(manifest.parts.map(({ path }) => path)).toContain('secret-key');
  await imports.run(running);
  // Not part of the set.
  await load('later.csv', 100, 105);

  await using restored = unusedSchema();
  const into = join(folder, 'restored');
  const config = configOf(restored, into);
  await restoreHere(config, target.address, silent, signal);
  expect(await readFile(join(into, 'secret-key'), 'utf8')).toBe(`${testSecretKey}\n`);
  expect(await readFile(join(into, 'admin-token'), 'utf8')).toBe('the token\n');
  await prepareDatabase(config, testSealing);
  const db = openDatabase({ ...restored, maxConnections: 4 });
  try {
    const records = createRecords(db, testSealing);
    expect(await records.manifest.totals()).toMatchObject({ runs: 1 });
    expect(await records.objectIndex.totals()).toMatchObject({ objects: 1 });
    // The job that ran runs again, without a loss, and ids go on after those of the set.
    expect(await records.jobs.claim(60)).toMatchObject({ jobId: job, attempt: 2 });
    expect(await db.selectFrom('job').select('losses').execute()).toEqual([
      { losses: 0 },
      { losses: 0 },
    ]);
    const next = await records.partners.create('next');
    expect(next.partnerId).toBeGreaterThan(acme.partnerId);
    expect((await records.backups.latest(target.address)).success?.setName).toBe(manifest.set);
  } finally {
    await db.destroy();
  }
  // Neither half fits the other half of the original.
  const mixed = configOf(restored);
  await expect(prepareDatabase(mixed, testSealing)).rejects.toThrow('is not the folder with the');
});

test('a restored set gets the suppressions that were made since', async () => {
  const digests = (byte: number) => [{ digests: Buffer.alloc(16, byte), isLifted: false }];
  const older = await create();
  const file = openSuppressionFile(dataDir);
  await file.append(digests(1));
  const newer = await create();
  expect((await verifyBackups(target, null, silent, signal)).problems).toEqual([]);
  await file.append(digests(2));

  const restoredInto = async (into: string, set: string) => {
    await using restored = unusedSchema();
    await restoreHere(configOf(restored, into), join(target.address, set), silent, signal);
    const file = openSuppressionFile(into);
    return Array.fromAsync(file.read((await file.end())!, 0, () => {}));
  };
  // From the newest set, or a newer file that the operator has put there.
  expect(await restoredInto(join(folder, 'older'), older.set)).toEqual(digests(1));
  await mkdir(join(folder, 'copied'));
  await copyFile(join(dataDir, 'suppressions'), join(folder, 'copied', 'suppressions'));
  const both = [...digests(1), ...digests(2)];
  expect(await restoredInto(join(folder, 'copied'), newer.set)).toEqual(both);
  // A damaged file does not stop the restore of a set that is whole.
  await flipByte(`${newer.set}/suppressions.zst`);
  const into = join(folder, 'damaged');
  await using restored = unusedSchema();
  await restoreHere(configOf(restored, into), join(target.address, older.set), silent, signal);
  expect(await openSuppressionFile(into).end()).toBeNull();
});

test('a second set copies only what is new, and a removed set takes its own files with it', async () => {
  const first = await create();
  expect(first.new_bytes).toBe(first.file_bytes);
  await load('second.csv', 10, 30);
  const second = await create();
  expect(second.files).toBe(4);
  expect(second.new_bytes).toBe(second.file_bytes - first.file_bytes);
  expect((await verifyBackups(target, null, silent, signal)).problems).toEqual([]);

  await acme.delete([tea]);
  await imports.objects.put(`${acme.prefix}first.csv`, content('shorter'));
  await imports.warehouse.refreshUniverse(signal);
  const third = await create();
  const service = { records: imports.records };
  const removed = await removeRecorded(service, target, { set: first.set }, null, signal);
  expect(removed.files).toBe(first.parts.length + 1);
  expect((await listSets(target)).map(({ set }) => set)).toEqual([second.set, third.set]);
  await removeRecorded(service, target, { set: second.set }, null, signal);
  expect((await readdir(target.address)).toSorted()).toEqual([third.set, 'files']);
  expect((await verifyBackups(target, null, silent, signal)).problems).toEqual([]);
  expect(
    [...(await targetFiles()).keys()].filter((path) => path.startsWith('files/')),
  ).toHaveLength(third.files);
  await expect(removeRecorded(service, target, { set: first.set }, null, signal)).rejects.toThrow(
    `has no set ${first.set}`,
  );
  expect(await imports.records.backups.list(10, null)).toMatchObject([
    { action: 'remove', state: 'failed', problem: expect.stringContaining('has no set') },
    { action: 'remove', state: 'done' },
    { action: 'remove', state: 'done' },
    { action: 'create', state: 'done', files: third.files },
    { action: 'create', state: 'done' },
    { action: 'create', state: 'done' },
  ]);
});

test('files that are deleted during a backup stay until it has ended', async () => {
  const blobs = async () => {
    const found = await readdir(join(dataDir, 'objects'), { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile()).map(({ name }) => name);
  };
  const runFiles = () => readdir(imports.warehouseDir);
  const before = { blobs: await blobs(), runs: await runFiles() };
  const disk = imports.objects as DiskStore;
  const sweep = async () => {
    await (imports.warehouse as MaintainedWarehouse).sweep(0);
    await disk.sweep(0, openTrash(join(dataDir, 'objects'), 7));
  };
  let happened = false;
  const service = {
    config: configOf(imports.database),
    records: imports.records,
    database: imports.database,
  };
  // The first progress comes when the snapshot is taken and no file is copied.
  const interfering: BackupTarget = {
    ...target,
    async put(path, bytes) {
      if (!happened) {
        happened = true;
        await acme.delete([tea]);
        await disk.delete([`${acme.prefix}first.csv`]);
        await imports.warehouse.refreshUniverse(signal);
        await sweep();
      }
      await target.put(path, bytes);
    },
  };
  const manifest = await createRecorded(service, interfering, null, silent, signal);
  expect(manifest).toMatchObject({ files: 2, missing: [] });
  expect((await verifyBackups(target, null, silent, signal)).problems).toEqual([]);
  expect(await blobs()).toEqual(before.blobs);
  expect(await runFiles()).toEqual(expect.arrayContaining(before.runs));
  await sweep();
  expect(await blobs()).toEqual([]);
  expect(await runFiles()).not.toEqual(expect.arrayContaining(before.runs));
});

test('a flipped byte in any file of a set is found', async () => {
  const { set } = await create();
  const paths = [...(await targetFiles())].filter(([, size]) => size > 0).map(([path]) => path);
  expect(paths.length).toBeGreaterThan(10);
  const problems = async () => (await verifyBackups(target, null, silent, signal)).problems;
  // Without these, verify does not know the other files.
  const lists = ['files.zst', 'manifest.json', 'manifest.sha256'].map((name) => `${set}/${name}`);
  const others = paths.filter((path) => !lists.includes(path));
  for (const path of others) await flipByte(path);
  expect(await problems()).toEqual(
    others.toSorted().map((path) => `${path} is damaged: its checksum differs from the manifest`),
  );
  for (const path of others) await flipByte(path);
  for (const path of lists) {
    await flipByte(path);
    expect(await problems()).toEqual([expect.stringMatching(/damaged/)]);
    await flipByte(path);
  }
  expect(await problems()).toEqual([]);

  await rm(join(target.address, others[0]!));
  expect(await problems()).toEqual([`${others[0]} is missing`]);
  await using restored = unusedSchema();
  const config = configOf(restored, join(folder, 'restored'));
  const restoring = restoreHere(config, join(target.address, set), silent, signal);
  await expect(restoring).rejects.toThrow('is missing');
  await expect(lockDataDir(config.dataDir)).rejects.toThrow('was not restored completely');
});

/** Changes a byte in the middle of a file. A second time changes it back. */
async function flipByte(path: string): Promise<void> {
  const file = join(target.address, path);
  const bytes = await readFile(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = bytes[at]! ^ 0x10;
  await writeFile(file, bytes);
}

test('a restore is refused where there is data, or without the right key', async () => {
  const setKey = { ...configOf(imports.database), secretKeys: [testSecretKey] };
  const manifest = await create(setKey);
  expect(manifest.elsewhere).toEqual(['the secret key, which is in TRIBUTARY_SECRET_KEY']);
  const into = join(folder, 'restored');
  const restore = (config: Config) => restoreHere(config, target.address, silent, signal);
  await using restored = unusedSchema();
  const config = { ...configOf(restored, into), secretKeys: [testSecretKey] };

  await expect(restore({ ...config, secretKeys: null })).rejects.toThrow(
    'The set does not contain the secret key',
  );
  await expect(restore({ ...config, secretKeys: ['another'] })).rejects.toThrow(
    'TRIBUTARY_SECRET_KEY is not the key of this set',
  );
  await expect(restore({ ...config, dataDir })).rejects.toThrow('is not empty');
  await expect(
    restore({ ...configOf(imports.database, into), secretKeys: [testSecretKey] }),
  ).rejects.toThrow('has tables');
  await expect(stat(into)).rejects.toThrow('ENOENT');
  await restore(config);
  await expect(restore(config)).rejects.toThrow('has tables');
});

test('the target learns how large a table can become, because a bucket needs it', async () => {
  await fillTable(5_000);
  const expected = new Map<string, number>();
  const told: BackupTarget = {
    ...target,
    put(path, content, mostBytes) {
      if (mostBytes !== undefined) expected.set(path, mostBytes);
      return target.put(path, content, mostBytes);
    },
  };
  const { set, tables } = await createRecorded(serviceHere(), told, null, silent, signal);
  const sizes = await targetFiles();
  expect(sizes.get(`${set}/database/audit_entry.copy.zst`)).toBeGreaterThan(200_000);
  for (const { name } of tables) {
    const path = `${set}/database/${name}.copy.zst`;
    expect(expected.get(path), name).toBeGreaterThan(sizes.get(path)!);
  }
});

test('a target that cannot be written is the reason of the failure, and harms nothing else', async () => {
  await writeFile(join(folder, 'file'), '');
  const inFile = openFolderTarget(join(folder, 'file', 'backups'));
  await expect(createRecorded(serviceHere(), inFile, null, silent, signal)).rejects.toThrow(
    'not a directory',
  );
  // So much that the server waits for the reader.
  await fillTable(20_000);
  const full: BackupTarget = {
    ...target,
    async put(_, content) {
      for await (const _ of content) throw new Error('the disk is full');
    },
  };
  await expect(createRecorded(serviceHere(), full, null, silent, signal)).rejects.toThrow(
    'the disk is full',
  );
  const { attempt } = await imports.records.backups.latest(null);
  expect(attempt?.problem).toBe('the disk is full');
  expect(await create()).toMatchObject({ missing: [] });
});

test('sets in a bucket, made by the command without a running service', async () => {
  await using endpoint = await startTestEndpoint();
  const partner = await endpoint.partner();
  const storage = {
    endpoint: endpoint.url,
    region: 'us-east-1',
    accessKeyId: partner.accessKeyId,
    secretAccessKey: partner.secretAccessKey,
    pathStyle: true,
    checksums: 'when_required',
  } as const;
  const address = `s3://tributary/${partner.prefix}backups`;
  const config = configOf(imports.database);
  const here = { ...config, backup: { ...config.backup, target: address, storage } };
  expect(await isServiceRunning(here)).toBe(false);
  const { set } = await createHere(here, address, silent, signal);
  expect(await listHere(here, undefined)).toMatchObject([
    { set, state: 'complete', manifest: { files: 2 } },
  ]);
  expect((await verifyHere(here, address, silent, signal)).problems).toEqual([]);
  await using restored = unusedSchema();
  const into = { ...here, ...configOf(restored, join(folder, 'restored')), backup: here.backup };
  expect(await restoreHere(into, undefined, silent, signal)).toMatchObject({ set });
  await prepareDatabase(into, testSealing);
  await expect(listHere(here, `${address}/${set}`)).rejects.toThrow('is a set');
  expect(await removeHere(here, set!, signal)).toMatchObject({ sets: [set] });
  expect(await listHere(here, undefined)).toEqual([]);

  await expect(removeHere(here, address, signal)).rejects.toThrow('is not a set');
  await expect(verifyHere(config, undefined, silent, signal)).rejects.toThrow('Name a folder');
  await expect(listHere(config, address)).rejects.toThrow('The credentials for');
  const empty = `${address}-empty`;
  await expect(restoreHere(into, empty, silent, signal)).rejects.toThrow('holds no complete set');

  await mkdir(join(folder, 'without-key'));
  const withoutKey = { ...here, dataDir: join(folder, 'without-key') };
  await expect(createHere(withoutKey, address, silent, signal)).rejects.toThrow(
    'No secret key found',
  );
  expect(await readdir(withoutKey.dataDir)).toEqual([]);
});

test('a check after a restore finds pieces that do not fit', async () => {
  const config = configOf(imports.database);
  const wrong = async (instead: Partial<typeof config> = {}, key = testSecretKey) => {
    const found = await checkRestored({ ...config, ...instead }, [key], signal);
    return found.filter(({ isFine }) => !isFine);
  };
  expect(await wrong()).toEqual([]);
  expect(await wrong({}, 'another key')).toMatchObject([
    { piece: 'secret key', text: expect.stringContaining('is not the key of this database') },
  ]);
  const empty = join(folder, 'empty');
  await mkdir(empty);
  const without = await checkRestoredHere({ ...config, dataDir: empty }, signal);
  expect(without.find(({ piece }) => piece === 'secret key')?.isFine).toBe(false);
  expect(await readdir(empty)).toEqual([]);
  expect(await wrong({ dataDir: empty })).toMatchObject([
    { piece: 'data dir', text: expect.stringContaining('is not the folder with the') },
    { piece: 'device sets', text: expect.stringContaining('1 of 1 files are missing') },
    { piece: 'objects', text: expect.stringContaining('1 of 1 files are missing') },
  ]);
  await recordDataAge(dataDir, 1_000);
  expect(await wrong()).toMatchObject([
    { piece: 'data dir', text: expect.stringContaining('Its files have change 1000') },
  ]);
  await writeFile(join(dataDir, 'installation'), 'another');
  expect(await wrong()).toMatchObject([
    { piece: 'data dir', text: expect.stringContaining('belongs to another service') },
  ]);
  expect(await wrong({ databaseSchema: 'unused' })).toMatchObject([{ piece: 'database' }]);
});

test('old sets expire, except the newest, and lost files are reported', async () => {
  const first = await create();
  const [lost] = await readdir(imports.warehouseDir);
  await rm(join(imports.warehouseDir, lost!));
  await rm(join(target.address, 'files/warehouse', lost!));
  const second = await create();
  expect(second.missing).toEqual([`warehouse/${lost}`]);
  expect((await imports.records.backups.latest(null)).success?.problem).toContain(
    'has lost 1 files',
  );
  const { problems, warnings } = await verifyBackups(target, second.set, silent, signal);
  expect(problems).toEqual([]);
  expect(warnings).toEqual([
    `${second.set}: the service had lost warehouse/${lost} before the backup`,
  ]);

  const inTwoDays = new Date(Date.now() + 2 * 24 * 60 * 60 * 1000);
  expect(await expiredSets(target, 1, inTwoDays)).toEqual([first.set]);
  expect(await expiredSets(target, 3, inTwoDays)).toEqual([]);
});

test('the worker makes sets by the schedule, removes old ones and does what was requested', async () => {
  const { records } = imports;
  const config = configOf(imports.database);
  const backup = { ...config.backup, target: target.address };
  const task = backupTask({ config: { ...config, backup }, records, database: imports.database });
  // Left by a process that died.
  await records.backups.begin({ action: 'verify', target: target.address }, null);

  expect(await task.run(signal)).toEqual({ files: 2, removed: 0 });
  expect(await task.run(signal)).toEqual({});
  const [{ set } = { set: '' }] = await listSets(target);
  await records.backups.request('verify', target.address, null);
  expect(await task.run(signal)).toMatchObject({ files: expect.any(Number) });
  await records.backups.request('create', target.address, null);
  expect(await task.run(signal)).toEqual({ files: 2 });
  await records.backups.request('remove', target.address, set);
  await task.run(signal);
  expect(await listSets(target)).toHaveLength(1);
  expect(await records.backups.list(10, null)).toMatchObject([
    { action: 'remove', state: 'done', setName: set },
    { action: 'create', state: 'done' },
    { action: 'verify', state: 'done' },
    { action: 'create', state: 'done', setName: set },
    { action: 'verify', state: 'failed', problem: expect.stringContaining('unexpectedly') },
  ]);
  await records.backups.request('create', 's3://bucket', null);
  await expect(task.run(signal)).rejects.toThrow('The credentials for s3://bucket are missing');
  expect(await records.backups.list(1, null)).toMatchObject([
    { state: 'failed', problem: expect.stringContaining('The credentials') },
  ]);
  // A day later the next one is due, and this one is no longer kept.
  await sql`
    update backup set started_at = now() - interval '25 hours' where state = 'done'
  `.execute(imports.db);
  await makeOlder(15);
  expect(await task.run(signal)).toEqual({ files: 2, removed: 1 });
});

/** Makes the only set that many days older. */
async function makeOlder(days: number): Promise<void> {
  const [{ set } = { set: '' }] = await listSets(target);
  const manifest = await readManifest(target, set);
  const taken_at = new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
  await writeManifest(target, { ...manifest, taken_at });
}

async function* content(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
