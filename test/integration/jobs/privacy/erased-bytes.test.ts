import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSuppressionFile } from '../../../../src/data-dir/suppression-file.ts';
import { applySuppressions } from '../../../../src/jobs/privacy/apply-suppressions.ts';
import { carryOutRequests } from '../../../../src/jobs/privacy/carry-out-requests.ts';
import type { MaintainedWarehouse } from '../../../../src/warehouse/port.ts';
import { type Audiences, freshAudiences } from '../../../support/audiences.ts';
import { deviceRows as rows } from '../../../support/devices.ts';

let world: Audiences;
let warehouse: MaintainedWarehouse;
beforeEach(async () => {
  world = await freshAudiences();
  warehouse = world.warehouse as MaintainedWarehouse;
});
afterEach(() => world[Symbol.asyncDispose]());

const { signal: never } = new AbortController();
const day = 24 * 60 * 60;

/** The files in a folder that have the device: its 16 bytes, or its digits with or without hyphens. */
async function filesWith(device: string, folder: string): Promise<string[]> {
  const digits = device.replaceAll('-', '');
  const bytes = Buffer.from(digits, 'hex');
  const spellings = [device, digits, device.toUpperCase(), digits.toUpperCase()];
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = await readFile(path).catch(() => null);
    if (!content) continue;
    const text = [content.includes(bytes), ...spellings.map((each) => content.includes(each))];
    if (text.includes(true)) found.push(path.slice(folder.length + 1));
  }
  return found;
}

/** The files of this database, and the log of changes of its server. */
async function databaseFolders(): Promise<string[]> {
  const { rows: shown } = await sql<{ folder: string; oid: number }>`
    select current_setting('data_directory') as folder, oid from pg_database
    where datname = current_database()
  `.execute(world.db);
  const { folder, oid } = shown[0]!;
  return [join(folder, 'base', String(oid)), join(folder, 'pg_wal'), join(folder, 'global')];
}

/** Reads all files of a server that other tests fill. */
const timeout = 180_000;

test('when a request is done, its device is in no file: of the database, of device sets or of uploads', {
  timeout,
}, async () => {
  const { records } = world;
  const device = randomUUID();
  const folders = [dirname(world.warehouseDir), ...(await databaseFolders())];
  const everywhere = async () => {
    await sql`checkpoint`.execute(world.db);
    return (await Promise.all(folders.map((folder) => filesWith(device, folder)))).map(
      (files) => files.length,
    );
  };
  const acme = await world.partner();
  const [tea, coffee] = [await acme.attribute('tea'), await acme.attribute('coffee')];
  await acme.put('day.csv', `${rows(0, 50, tea)}${device.toUpperCase()},${tea}|${coffee}\n`);
  await acme.import('day.csv');
  await acme.put('seen.csv', `${rows(0, 50, 'seen')}${device},seen\n`);
  const audienceId = await acme.create('seen.csv');
  await world.work();
  // A rejected row, and a key in a report that is the device.
  await acme.put('odd.csv', `${rows(60, 61, device)}${rows(0, 50, tea)}${device},nokey\n`);
  const odd = await acme.import('odd.csv');
  expect(JSON.stringify(odd.errors)).toContain(device);
  await warehouse.refreshUniverse(never);
  await warehouse.compact({ rewriteAfterSeconds: day }, never);
  await sql`analyze`.execute(world.db);
  const [ownFiles, inDatabase] = await everywhere();
  expect([ownFiles! > 3, inDatabase! > 0]).toEqual([true, true]);
  expect(await acme.counts()).toEqual([51, 1]);

  const requests = carryOutRequests({
    records,
    warehouse,
    journal: openSuppressionFile(dirname(world.warehouseDir)),
  });
  const digits = device.replaceAll('-', '');
  const digest = createHash('sha256').update(digits).digest();
  const requestId = await records.privacyRequests.create({
    kind: 'delete',
    reference: '',
    identifiers: [{ device: digits, digest }],
  });
  await requests.run(never);
  await applySuppressions({ records, warehouse }).run(never);
  await world.objects.removeAll(acme.prefix, never);
  await warehouse.refreshUniverse(never);
  await warehouse.compact({ rewriteAfterSeconds: 0 }, never);
  await warehouse.refreshUniverse(never);
  await warehouse.sweep(0);
  await requests.run(never);
  expect((await records.privacyRequests.find(requestId))?.state).toBe('done');

  expect(await everywhere()).toEqual([0, 0, 0, 0]);
  expect(await acme.counts()).toEqual([50, 0]);
  expect((await acme.details(audienceId)).uniqueDevices).toBe(50);
  const report = await acme.log(odd.importLogId);
  expect(report?.errors).toMatchObject([
    { code: 'unknown_key', value: null, message: expect.stringContaining('the key "…"'), count: 2 },
  ]);
  const kept = await Array.fromAsync(records.rejects.read(odd.importLogId));
  expect(kept.flat()).toEqual([]);
});
