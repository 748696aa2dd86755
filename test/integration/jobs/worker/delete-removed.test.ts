import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudience } from '../../../../src/actions/create-audience.ts';
import { removeParty } from '../../../../src/actions/remove-party.ts';
import { keyType } from '../../../../src/domain/job.ts';
import { refreshAudiences } from '../../../../src/jobs/audience/refresh-audiences.ts';
import { deleteRemoved } from '../../../../src/jobs/worker/delete-removed.ts';
import { type Audiences, freshAudiences } from '../../../support/audiences.ts';
import { deviceNumber } from '../../../support/devices.ts';

let world: Audiences;
beforeAll(async () => {
  world = await freshAudiences();
});
afterAll(() => world[Symbol.asyncDispose]());

const { signal: never } = new AbortController();
const lines = (from: number, to: number, suffix = '') =>
  Array.from({ length: to - from }, (_, n) => `${deviceNumber(from + n)}${suffix}\n`).join('');

async function rowsOf(table: string, column: string, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${sql.ref(column)} = ${id}
  `.execute(world.db);
  return rows[0]!.count;
}

/** A partner with an attribute of devices [from, to), an audience of its own and one for the customer. */
async function loadedPartner(from: number, to: number, customerId: number) {
  const { records } = world;
  const partner = await world.partner();
  const { partnerId, prefix } = partner;
  await partner.attribute('tea');
  await partner.put('tea.csv', lines(from, to, ',tea'));
  await partner.put('bad.csv', 'no device,tea\n');
  await partner.put('all.csv', lines(0, 40, ',seen'));
  expect((await partner.import('tea.csv', keyType.partnerForeignKey)).uniqueDevices).toBe(
    to - from,
  );
  await partner.import('bad.csv', keyType.partnerForeignKey);
  const own = await partner.create('all.csv');
  const scope = { partnerId, customerId };
  const theirs = await createAudience(records, scope, 'Theirs', `${prefix}all.csv`);
  await world.work();
  return { ...partner, own, theirs: theirs.audienceId };
}

async function settle(): Promise<void> {
  await world.warehouse.refreshUniverse(never);
  const pauses = { quietMs: 1, patienceMs: 1, retryMs: 1 };
  await refreshAudiences({ ...world, log: pino({ level: 'silent' }) }, pauses).run(never);
}

describe('a removed partner and a removed customer', () => {
  test('leave nothing behind, and what others have stays', async () => {
    const { records } = world;
    const removal = deleteRemoved(world);
    expect(await removal.run(never)).toEqual({ removals: 0 });
    const { customerId } = await records.customers.create('Harbor Coffee');
    const gone = await loadedPartner(0, 30, customerId);
    const kept = await loadedPartner(20, 40, customerId);
    await records.apiKeys.create(gone.partnerId, '');
    await records.storageCredentials.create(gone.partnerId);
    const headers = { contentType: 'text/csv', metadata: {} };
    await records.uploads.begin('an-upload', `${gone.prefix}open`, headers, 10);
    await settle();
    expect((await kept.composition(kept.own))?.attributes).toHaveLength(2);
    const [attribute] = await records.removals.attributesOf(gone.partnerId, 10);
    const runFiles = await records.manifest.runsOf([attribute!.segmentId]);
    expect(runFiles.length).toBeGreaterThan(0);

    await removeParty(records, { kind: 'partner', id: gone.partnerId });
    expect(await records.partners.find(gone.partnerId)).toBeUndefined();
    for (const table of ['api_key', 'storage_credential', 'oauth_app', 'user_token']) {
      expect(await rowsOf(table, 'partner_id', gone.partnerId)).toBe(0);
    }
    expect(await records.removals.pending()).toMatchObject([
      { kind: 'partner', id: gone.partnerId },
    ]);
    // An interrupted removal goes on from where it stopped.
    await expect(removal.run(AbortSignal.abort())).rejects.toThrow();
    expect(await removal.run(never)).toEqual({ removals: 1 });

    expect(await records.removals.pending()).toEqual([]);
    for (const table of [
      'attribute',
      'audience',
      'job',
      'job_day',
      'idempotency_key',
      'reject_use',
    ]) {
      expect(await rowsOf(table, 'partner_id', gone.partnerId)).toBe(0);
    }
    expect(await rowsOf('job_day', 'partner_id', kept.partnerId)).toBeGreaterThan(0);
    expect(await records.manifest.runsOf([attribute!.segmentId])).toEqual([]);
    expect(await rowsOf('attribute_history', 'segment_id', attribute!.segmentId)).toBe(0);
    expect(await rowsOf('audience_history', 'audience_id', gone.own)).toBe(0);
    expect(await rowsOf('audience_history', 'audience_id', kept.own)).toBeGreaterThan(0);
    expect(await records.objectIndex.list(gone.prefix, '', 10)).toEqual([]);
    expect(await records.uploads.list(gone.prefix, null, 10)).toEqual([]);
    expect((await records.storageUses.of(gone.partnerId)).bytes).toBe(0);
    await settle();
    const after = await kept.composition(kept.own);
    expect(after).toMatchObject({ universeDevices: 20, matchedDevices: 20 });
    expect(after?.attributes).toMatchObject([{ audienceDevices: 20 }]);
    expect(await records.objectIndex.list(kept.prefix, '', 10)).toHaveLength(3);

    await removeParty(records, { kind: 'customer', id: customerId });
    expect(await removal.run(never)).toEqual({ removals: 1 });
    expect(await rowsOf('customer', 'customer_id', customerId)).toBe(0);
    expect(await rowsOf('audience', 'partner_id', kept.partnerId)).toBe(1);
    expect((await kept.details(kept.own)).uniqueDevices).toBe(40);
    // Only the one that is left counts towards the limit.
    expect(await rowsOf('partner', 'audiences', 1)).toBe(1);
    expect(await removeParty(records, { kind: 'customer', id: customerId })).toBeUndefined();
  });
});
