import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSuppressionFile } from '../../../src/data-dir/suppression-file.ts';
import { createArchiveStore } from '../../../src/drop/archive-store.ts';
import { createDropClient } from '../../../src/drop/client.ts';
import { syncDrop } from '../../../src/drop/sync.ts';
import { applySuppressions } from '../../../src/jobs/privacy/apply-suppressions.ts';
import { carryOutRequests } from '../../../src/jobs/privacy/carry-out-requests.ts';
import { createDropSuppressions } from '../../../src/process/drop-suppressions.ts';
import type { MaintainedWarehouse } from '../../../src/warehouse/port.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../support/audiences.ts';
import { deviceNumber, deviceRows as rows } from '../../support/devices.ts';
import { type DropServer, startDropServer } from '../../support/drop/drop-server.ts';
import { item, noon } from '../../support/drop/drop-world.ts';
import { hashOfMaid } from '../../support/drop/hash-of-maid.ts';

/** A cycle with the real warehouse, instead of a model of it. */

const { signal: never } = new AbortController();
const published = 'A3F1C2D4-5678-90AB-CDEF-1234567890AB';
const publishedItem = {
  id: 'Published001',
  hash: '250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI=',
};
/** The item of a numbered device. */
const itemOf = (number: number) => item(number, deviceNumber(number));

let world: Audiences;
let warehouse: MaintainedWarehouse;
let server: DropServer;
let folder: string;
let acme: LoadingPartner;
let tea: number;
beforeEach(async () => {
  world = await freshAudiences();
  warehouse = world.warehouse as MaintainedWarehouse;
  server = await startDropServer();
  folder = await mkdtemp(join(tmpdir(), 'tributary-drop-'));
  acme = await world.partner();
  tea = await acme.attribute('tea');
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const dependencies = () => ({
  records: world.records,
  warehouse,
  journal: openSuppressionFile(folder),
});

/** Runs the task a few times, without waiting in between. Returns the state of the last cycle. */
async function sync(): Promise<string | undefined> {
  for (let run = 0; run < 3; run += 1) {
    await sql`update drop_schedule set call_at = now()`.execute(world.db);
    await syncDrop(
      {
        records: world.records,
        store: createArchiveStore(world.objects),
        suppressions: createDropSuppressions(dependencies()),
        client: createDropClient(server.url, server.apiKey),
        days: 7,
        mostBytes: 1_000_000,
        now: () => noon,
      },
      never,
    );
  }
  return (await world.records.dropCycles.list(1, null))[0]?.state;
}

async function nextSession(): Promise<string | undefined> {
  await sql`update drop_schedule set session_at = now()`.execute(world.db);
  return sync();
}

const apply = () => applySuppressions({ records: world.records, warehouse }).run(never);

/** The periodic maintenance of the worker, as if all its delays had passed. */
async function maintain(): Promise<void> {
  await warehouse.refreshUniverse(never);
  await warehouse.compact({ rewriteAfterSeconds: 0 }, never);
  await warehouse.refreshUniverse(never);
  await warehouse.sweep(0);
}

async function load(path: string, content: string) {
  await acme.put(path, content);
  return acme.import(path);
}

/** Whether a file of the warehouse has the 16 bytes of the device. */
function isOnDisk(device: string): boolean {
  const bytes = Buffer.from(device.replaceAll('-', ''), 'hex');
  return readdirSync(world.warehouseDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(bytes));
}

test('a cycle deletes what is stored, answers when its bytes are gone, and lifts what is withdrawn', async () => {
  const listed = [3, 12].map(deviceNumber).concat(published);
  await load('tea.csv', `${rows(0, 20, tea)}${published},${tea}\n`);
  await acme.put('seen.csv', rows(10, 15, 'seen'));
  const audienceId = await acme.create('seen.csv');
  await world.work();
  expect(listed.every(isOnDisk)).toBe(true);
  server.publish('MAID', [itemOf(3), itemOf(12), itemOf(999), publishedItem]);
  const onDiskWhenReported: boolean[] = [];
  server.onRows = () => onDiskWhenReported.push(...listed.map(isOnDisk));

  expect(await sync()).toBe('suppressed');
  // What is not deleted yet is kept out already.
  expect(await load('more.csv', rows(2, 5, tea))).toMatchObject({ uniqueDevices: 2 });
  expect(await acme.counts()).toEqual([21]);
  await apply();
  expect(await acme.counts()).toEqual([18]);
  expect((await acme.details(audienceId)).uniqueDevices).toBe(4);
  expect(listed.some(isOnDisk)).toBe(true);
  expect(await sync()).toBe('removed');
  expect(server.accepted).toEqual([]);
  await maintain();
  expect(await sync()).toBe('accepted');
  expect(server.accepted.map(({ text }) => text)).toEqual([
    `Id,Status\n${itemOf(3).id},3\n${itemOf(12).id},3\n${itemOf(999).id},5\n${publishedItem.id},3\n`,
  ]);
  expect(onDiskWhenReported).toEqual([false, false, false]);
  expect(server.violations).toEqual([]);

  // A device that was not found stays out as well. It is never stored, so there is nothing to amend.
  expect(await load('again.csv', rows(998, 1_000, tea))).toMatchObject({ uniqueDevices: 1 });
  expect(await nextSession()).toBe('accepted');
  expect(server.accepted).toHaveLength(1);

  // One device is also that of a request of the operator.
  const digest = Buffer.from(hashOfMaid(deviceNumber(12)), 'base64');
  const identifiers = [{ device: null, digest }];
  await world.records.privacyRequests.create({ kind: 'delete', reference: '1', identifiers });
  await carryOutRequests(dependencies()).run(never);
  server.withdraw('MAID', [itemOf(3), itemOf(12)]);
  await nextSession();
  await maintain();
  expect(await sync()).toBe('accepted');
  expect(await load('last.csv', rows(0, 20, tea))).toMatchObject({ uniqueDevices: 19 });
  expect((await world.records.dropCycles.list(1, null))[0]).toMatchObject({
    removedRows: 2,
    liftedRows: 2,
  });
});

test('a device that a request of the operator is about to delete is reported as deleted, once it is gone', async () => {
  await load('tea.csv', rows(0, 20, tea));
  const identifiers = [5, 999].map((number) => ({
    device: deviceNumber(number).replaceAll('-', ''),
    digest: Buffer.from(hashOfMaid(deviceNumber(number)), 'base64'),
  }));
  await world.records.privacyRequests.create({ kind: 'delete', reference: '1', identifiers });
  await carryOutRequests(dependencies()).run(never);
  server.publish('MAID', [itemOf(5), itemOf(999)]);
  expect(await sync()).toBe('matched');
  await apply();
  await maintain();
  expect(await sync()).toBe('accepted');
  expect([...server.statuses.values()]).toEqual([3, 5]);
  expect(isOnDisk(deviceNumber(5))).toBe(false);
});

test('a device that is found later is reported when it is gone', async () => {
  const { suppression, dropFiles } = world.records;
  await suppression.setScope(true);
  await acme.put('seen.csv', rows(10, 15, 'seen'));
  const audienceId = await acme.create('seen.csv');
  await world.work();
  server.publish('MAID', [itemOf(11), itemOf(999)]);
  await sync();
  await apply();
  expect(await sync()).toBe('accepted');
  expect([...server.statuses.values()]).toEqual([5, 5]);

  await suppression.setScope(false);
  await apply();
  expect((await acme.details(audienceId)).uniqueDevices).toBe(4);
  await nextSession();
  expect((await dropFiles.ofCycle(1)).map(({ state }) => state)).toEqual(['accepted', 'held']);
  await maintain();
  await sync();
  expect(server.accepted.slice(1)).toEqual([
    {
      operation: 'amend',
      name: '20260312_4821_MAID_a1x1.csv',
      text: `Id,Status\n${itemOf(11).id},3\n`,
    },
  ]);
  expect(isOnDisk(deviceNumber(11))).toBe(false);
  expect(server.violations).toEqual([]);
});
