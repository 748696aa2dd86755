import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeParty } from '../../../../src/actions/remove-party.ts';
import { openSuppressionFile } from '../../../../src/data-dir/suppression-file.ts';
import { applyJournal } from '../../../../src/jobs/privacy/apply-journal.ts';
import { applySuppressions } from '../../../../src/jobs/privacy/apply-suppressions.ts';
import { carryOutRequests } from '../../../../src/jobs/privacy/carry-out-requests.ts';
import { createS3Store } from '../../../../src/objects/s3/s3-store.ts';
import { createBucketJournal } from '../../../../src/process/bucket-journal.ts';
import type { RequestedIdentifier } from '../../../../src/records/privacy/privacy-requests.ts';
import type { MaintainedWarehouse } from '../../../../src/warehouse/port.ts';
import { startS3Endpoint } from '../../../contract/s3-endpoint.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../../support/audiences.ts';
import { deviceNumber, deviceRows as rows } from '../../../support/devices.ts';

let world: Audiences;
let warehouse: MaintainedWarehouse;
let folder: string;
let acme: LoadingPartner;
let tea: number;
beforeEach(async () => {
  world = await freshAudiences();
  warehouse = world.warehouse as MaintainedWarehouse;
  folder = await mkdtemp(join(tmpdir(), 'tributary-privacy-'));
  acme = await world.partner();
  tea = await acme.attribute('tea');
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const { signal: never } = new AbortController();
const log = pino({ level: 'silent' });
const everything = { after: null, limit: 1_000 };

function carryOut(instead: Partial<MaintainedWarehouse> = {}) {
  const { records } = world;
  const journal = openSuppressionFile(folder);
  return carryOutRequests({ records, warehouse: { ...warehouse, ...instead }, journal }).run(never);
}

const apply = () => applySuppressions({ records: world.records, warehouse }).run(never);

/** The periodic maintenance of the worker, as if all its delays had passed. */
async function maintain(): Promise<void> {
  await warehouse.refreshUniverse(never);
  await warehouse.compact({ rewriteAfterSeconds: 0 }, never);
  await warehouse.refreshUniverse(never);
  await warehouse.sweep(0);
}

function plain(number: number): RequestedIdentifier {
  const device = deviceNumber(number).replaceAll('-', '');
  return { device, digest: createHash('sha256').update(device).digest() };
}

const digestOf = (number: number): RequestedIdentifier => ({ ...plain(number), device: null });

const request = (kind: 'delete' | 'opt_out' | 'access', ...identifiers: RequestedIdentifier[]) =>
  world.records.privacyRequests.create({ kind, reference: 'case 1', identifiers });

const find = async (requestId: number) => (await world.records.privacyRequests.find(requestId))!;

async function load(partner: LoadingPartner, attribute: number, from: number, to: number) {
  const path = `${attribute}-${from}.csv`;
  await partner.put(path, rows(from, to, attribute));
  return partner.import(path);
}

describe('a request to delete', () => {
  test('removes devices from everyone, keeps them out, and ends when their bytes are gone', async () => {
    const other = await world.partner();
    const coffee = await other.attribute('coffee');
    await load(acme, tea, 0, 20);
    await load(other, coffee, 10, 30);
    await acme.put('seen.csv', rows(10, 15, 'seen'));
    const audienceId = await acme.create('seen.csv');
    await world.work();
    const requestId = await request('delete', plain(11), digestOf(12), plain(25), digestOf(999));
    expect(await find(requestId)).toMatchObject({
      state: 'received',
      identifiers: 4,
      counts: null,
    });

    expect(await carryOut()).toMatchObject({ suppressed: 1, removed: 0 });
    const suppressed = await find(requestId);
    expect(suppressed).toMatchObject({
      state: 'suppressed',
      counts: {
        found: 3,
        attributes: 2,
        audiences: 1,
        partners: 2,
        memberships: 7,
        isComplete: true,
      },
      suppressedAt: expect.any(Date),
      removedAt: null,
    });
    const found = await world.records.privacyRequests.identifiers(requestId);
    expect(found.map(({ isFound }) => isFound)).toEqual([true, true, true, false]);
    expect(await acme.counts()).toEqual([20]);

    await apply();
    expect(await carryOut()).toMatchObject({ removed: 1, ended: 0 });
    expect([await acme.counts(), await other.counts()]).toEqual([[18], [17]]);
    expect((await acme.details(audienceId)).uniqueDevices).toBe(3);
    const [erasure] = await world.records.importLogs.latest(other.partnerId, 1);
    expect(erasure).toMatchObject({ logType: 3, state: 'done', totalRows: 3, keys: null });
    const [attributeChange] = await world.records.attributeHistory.list(coffee, everything);
    expect(attributeChange).toMatchObject({ reason: 'privacy', uniqueDevices: 17 });
    const basis = (await world.records.compositions.bases([audienceId])).get(audienceId);
    expect(basis).toMatchObject({ audience: { devices: 3 }, reasons: ['privacy'] });

    await maintain();
    expect(await carryOut()).toMatchObject({ ended: 1 });
    const done = await find(requestId);
    expect(done).toMatchObject({ state: 'done', removedAt: expect.any(Date) });
    expect(done.doneAt!.getTime()).toBeGreaterThanOrEqual(done.removedAt!.getTime());
    const kept = await world.records.privacyRequests.identifiers(requestId);
    expect(kept.map(({ device }) => device)).toEqual([null, null, null, null]);
    expect(kept[0]!.digest).toEqual(plain(11).digest);
    const { rows: sealed } = await sql`
      select from privacy_request where sealed_devices is not null
    `.execute(world.db);
    expect(sealed).toEqual([]);
    expect(await carryOut()).toEqual({ answered: 0, suppressed: 0, removed: 0, ended: 0 });

    // The devices stay out, and everything else is loaded.
    expect(await load(acme, tea, 5, 40)).toMatchObject({ state: 'done', uniqueDevices: 32 });
    expect(await acme.counts()).toEqual([37]);
  });

  test('waits until no file can hold its devices', async () => {
    await load(acme, tea, 0, 20);
    const requestId = await request('opt_out', plain(3));
    await carryOut();
    await apply();
    expect(await carryOut()).toMatchObject({ removed: 1, ended: 0 });
    // A file that an interrupted attempt left may hold the device.
    await maintain();
    await sql`
      insert into run_file (file, job_id, attempt, created_at)
      select 'left.parquet', job_id, attempt, now() - interval '1 hour' from job limit 1
    `.execute(world.db);
    expect(await carryOut()).toMatchObject({ ended: 0 });
    await sql`delete from run_file where file = 'left.parquet'`.execute(world.db);
    // A table that is in use cannot be written again, and one that takes too long is not tried at once.
    await world.db.transaction().execute(async (tx) => {
      await sql`lock table import_reject in access share mode`.execute(tx);
      expect(await carryOut()).toMatchObject({ ended: 0 });
    });
    const remove = () => Promise.reject(new Error('cancelled'));
    const records = { ...world.records, erasedRows: { remove } };
    const journal = openSuppressionFile(folder);
    const cancelled = carryOutRequests({ records, warehouse, journal });
    await expect(cancelled.run(never)).rejects.toThrow('cancelled');
    expect(await cancelled.run(never)).toMatchObject({ ended: 0 });
    expect(await carryOut()).toMatchObject({ ended: 1 });
    expect((await find(requestId)).state).toBe('done');
  });

  test('leaves audiences alone if it is about the marketplace, until it is about everything', async () => {
    const { suppression } = world.records;
    await suppression.setScope(true);
    await load(acme, tea, 0, 20);
    await acme.put('seen.csv', rows(0, 5, 'seen'));
    const audienceId = await acme.create('seen.csv');
    await world.work();
    const requestId = await request('delete', plain(3), digestOf(4));
    await carryOut();
    await apply();
    await carryOut();
    expect(await find(requestId)).toMatchObject({
      state: 'removed',
      counts: { found: 2, attributes: 1, audiences: 0, memberships: 2 },
    });
    expect(await acme.counts()).toEqual([18]);
    await acme.put('more.csv', rows(3, 8, 'seen'));
    await acme.append(audienceId, 'more.csv');
    await world.work();
    expect((await acme.details(audienceId)).uniqueDevices).toBe(8);
    expect(await load(acme, tea, 0, 20)).toMatchObject({ uniqueDevices: 18 });

    await suppression.setScope(false);
    await suppression.setScope(false);
    await apply();
    expect((await acme.details(audienceId)).uniqueDevices).toBe(6);
    await acme.put('again.csv', rows(0, 8, 'seen'));
    await acme.append(audienceId, 'again.csv');
    await world.work();
    expect((await acme.details(audienceId)).uniqueDevices).toBe(6);
  });

  test('finds nothing of a device that was deleted before, and still ends', async () => {
    await load(acme, tea, 0, 20);
    const first = await request('delete', plain(3));
    await carryOut();
    await apply();
    const second = await request('delete', plain(3), digestOf(3));
    expect(await carryOut()).toMatchObject({ suppressed: 1 });
    await apply();
    await maintain();
    await carryOut();
    await carryOut();
    expect((await find(first)).counts).toMatchObject({ found: 1 });
    expect(await find(second)).toMatchObject({ state: 'done', counts: { found: 0 } });
  });

  test('writes no log for a partner that was removed', async () => {
    await load(acme, tea, 0, 20);
    await request('delete', plain(3));
    await carryOut();
    await removeParty(world.records, { kind: 'partner', id: acme.partnerId });
    expect(await apply()).toMatchObject({ memberships: 1 });
    const { rows: logs } = await sql`select from import_log where log_type = 3`.execute(world.db);
    expect(logs).toEqual([]);
  });

  test('that is interrupted is carried out again', async () => {
    await load(acme, tea, 0, 20);
    const requestId = await request('delete', plain(3), digestOf(4));
    // biome-ignore lint/correctness/useYield: it throws before it could yield
    async function* broken(): AsyncGenerator<never> {
      throw new Error('interrupted');
    }
    await expect(carryOut({ intersect: broken })).rejects.toThrow('interrupted');
    expect((await find(requestId)).state).toBe('received');
    // While the warehouse is down, nothing is written to the journal again and again.
    let loads = 0;
    const beginLoad: typeof warehouse.beginLoad = (...given) => {
      loads += 1;
      // The first one is that of the search.
      if (loads === 2) throw new Error('the warehouse is down');
      return warehouse.beginLoad(...given);
    };
    await expect(carryOut({ beginLoad })).rejects.toThrow('the warehouse is down');
    expect(await readdir(folder)).toEqual([]);
    // Killed after the devices were suppressed, and then removed: what was found is still known.
    const { privacyRequests } = world.records;
    const setSuppressed = () => Promise.reject(new Error('killed'));
    const records = {
      ...world.records,
      privacyRequests: { ...privacyRequests, setSuppressed },
    };
    const journal = openSuppressionFile(folder);
    const killed = carryOutRequests({ records, warehouse, journal });
    await expect(killed.run(never)).rejects.toThrow('killed');
    await expect(killed.run(never)).rejects.toThrow('killed');
    const [part] = await Array.fromAsync(journal.parts());
    const entries = await Array.fromAsync(journal.read(part!, 0, () => {}));
    expect(entries.map(({ digests }) => digests.length)).toEqual([16, 16]);
    await apply();
    expect(await acme.counts()).toEqual([18]);
    expect(await carryOut()).toMatchObject({ suppressed: 1 });
    expect((await find(requestId)).counts).toMatchObject({ found: 2, memberships: 2 });
    const found = await privacyRequests.identifiers(requestId);
    expect(found.map(({ isFound }) => isFound)).toEqual([true, true]);
    const { rows: lookups } = await sql`select from privacy_lookup`.execute(world.db);
    expect(lookups).toEqual([]);
  });
});

describe('a request for access', () => {
  test('tells what holds the devices and since when, and changes nothing', async () => {
    const before = Date.now() - 1_000;
    await load(acme, tea, 0, 20);
    await acme.put('seen.csv', rows(5, 6, 'seen'));
    const audienceId = await acme.create('seen.csv');
    await world.work();
    const [attribute] = await world.records.attributes.list(acme.partnerId, everything);
    const requestId = await request('access', plain(5), digestOf(6), plain(77));
    expect(await world.records.privacyRequests.findings(requestId, everything)).toEqual([]);
    expect(await carryOut()).toMatchObject({ answered: 1 });
    expect(await find(requestId)).toMatchObject({ state: 'done', counts: { found: 2 } });

    const findings = await world.records.privacyRequests.findings(requestId, everything);
    expect(findings.toSorted((a, b) => a.position - b.position)).toMatchObject([
      { position: 1, digest: plain(5).digest, partnerId: acme.partnerId, isExact: true },
      { position: 1, digest: plain(5).digest, isExact: true },
      { position: 2, digest: plain(6).digest, attributeId: attribute!.attributeId },
    ]);
    const ofFirst = findings.filter(({ position }) => position === 1);
    expect(ofFirst.map(({ audienceId: id }) => id).toSorted()).toEqual([audienceId, null]);
    for (const { heldSince } of findings) {
      expect(heldSince!.getTime()).toBeGreaterThan(before);
      expect(heldSince!.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    }
    expect(await acme.counts()).toEqual([20]);
    expect((await world.records.suppression.state()).plain.devices).toBe(0);

    await world.records.privacyRequests.pruneFindings(0);
    expect(await world.records.privacyRequests.findings(requestId, everything)).toEqual([]);
  });

  test('knows only the latest time if runs were merged', async () => {
    for (let from = 0; from < 24; from += 2) await load(acme, tea, from, from + 2);
    await warehouse.refreshUniverse(never);
    await warehouse.compact({ rewriteAfterSeconds: 0 }, never);
    const requestId = await request('access', plain(5));
    await carryOut();
    const findings = await world.records.privacyRequests.findings(requestId, everything);
    expect(findings).toMatchObject([{ heldSince: expect.any(Date), isExact: false }]);
  });

  test('shares a search with other requests', async () => {
    await load(acme, tea, 0, 20);
    const ids = [await request('access', plain(1)), await request('access', plain(1), plain(2))];
    let searches = 0;
    const { intersect } = warehouse;
    await carryOut({
      intersect(...given) {
        searches++;
        return intersect(...given);
      },
    });
    expect(searches).toBe(1);
    const counts = await Promise.all(ids.map(async (id) => (await find(id)).counts?.found));
    expect(counts).toEqual([1, 2]);
  });
});

describe('the file of suppressions', () => {
  test('has no device, and gives an older database what it lacks', async () => {
    await request('delete', plain(3), digestOf(4));
    await carryOut();
    const [name] = await readdir(folder);
    const text = await readFile(join(folder, name!));
    for (const spelling of [plain(3).device!, Buffer.from(plain(3).device!, 'hex')]) {
      expect(text.includes(spelling)).toBe(false);
    }
    const journal = openSuppressionFile(folder);
    const current = applyJournal({ ...world, journal, log });
    expect(await current.run(never)).toEqual({});

    const lifted = plain(5).digest.subarray(0, 16);
    await journal.append([
      { digests: lifted, isLifted: false },
      { digests: lifted, isLifted: true },
    ]);
    await using older = await freshAudiences();
    const partner = await older.partner();
    const attribute = await partner.attribute();
    await partner.put('x', rows(0, 10, attribute));
    await partner.import('x');
    const restored = applyJournal({ ...older, journal, log });
    expect(await restored.run(never)).toEqual({ digests: 2 });
    expect(await restored.run(never)).toEqual({});
    const own = older.warehouse as MaintainedWarehouse;
    await applySuppressions({ records: older.records, warehouse: own }).run(never);
    expect(await partner.counts()).toEqual([8]);
  });

  test('is in the shared bucket if that is in another store', async () => {
    await using setup = new AsyncDisposableStack();
    const { disk, options } = await startS3Endpoint(setup, 'when_required');
    const journal = createBucketJournal(setup.use(createS3Store(options)));
    const { records } = world;
    const requests = carryOutRequests({ records, warehouse, journal });
    await request('delete', plain(3));
    await requests.run(never);
    await request('delete', digestOf(4), digestOf(5));
    await requests.run(never);
    const lifted = plain(5).digest.subarray(0, 16);
    await journal.append([{ digests: lifted, isLifted: true }]);
    expect(await disk.objects.list('suppressions/', '', 10)).toHaveLength(3);
    expect(await applyJournal({ ...world, journal, log }).run(never)).toEqual({ digests: 0 });

    await using older = await freshAudiences();
    const restored = applyJournal({ ...older, journal, log });
    expect(await restored.run(never)).toEqual({ digests: 2 });
    expect(await restored.run(never)).toEqual({});
    expect((await older.records.suppression.state()).digests.devices).toBe(2);
  });

  test('that is damaged is applied as far as it can be read', async () => {
    const journal = openSuppressionFile(folder);
    await journal.append([{ digests: plain(1).digest.subarray(0, 16), isLifted: false }]);
    const logged: string[] = [];
    const read: typeof journal.read = async function* (part, from, onDamaged) {
      onDamaged();
      yield* journal.read(part, from, onDamaged);
    };
    const loud = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
    const task = applyJournal({ ...world, journal: { ...journal, read }, log: loud });
    expect(await task.run(never)).toEqual({ digests: 1 });
    expect(logged.join('')).toContain('suppressions file is damaged');
  });
});
