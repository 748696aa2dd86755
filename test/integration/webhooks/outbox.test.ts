import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { disableAccess } from '../../../src/actions/disable-access.ts';
import { emitEvent } from '../../../src/actions/emit-event.ts';
import { type Audiences, freshAudiences, type LoadingPartner } from '../../support/audiences.ts';
import { deviceNumber as device } from '../../support/devices.ts';

let world: Audiences;

beforeAll(async () => {
  world = await freshAudiences();
});

afterAll(() => world[Symbol.asyncDispose]());

interface Stored {
  readonly type: string;
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own record
  readonly data: any;
}

async function events(partnerId: number): Promise<Stored[]> {
  const { rows } = await sql<{ body: string }>`
    select body from webhook_event where partner_id = ${partnerId} order by event_id
  `.execute(world.db);
  return rows.map(({ body }) => JSON.parse(body));
}

const hook = { url: 'https://acme.example/hook', description: '', events: null };

async function partnerWithWebhook(): Promise<LoadingPartner> {
  const acme = await world.partner();
  await world.records.webhooks.create(acme.partnerId, hook);
  return acme;
}

describe('the outbox', () => {
  it('has an event for each job that ends, with the record of the API', async () => {
    const acme = await partnerWithWebhook();
    const tea = await acme.attribute();
    await acme.put('good.csv', `${device(1)},${tea}\n`);
    const { importLogId } = await acme.import('good.csv');
    await acme.import('missing.csv');
    await acme.delete([tea]);
    const stored = await events(acme.partnerId);
    expect(stored.map(({ type }) => type)).toEqual([
      'import.finished',
      'import.failed',
      'deletion.finished',
    ]);
    expect(stored[0]).toEqual({
      type: 'import.finished',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: expect.objectContaining({
        import_log_id: importLogId,
        status: 2,
        log_type: 0,
        unique_devices: '1',
        total_rows: '1',
        errors: null,
      }),
    });
    expect(stored[1]!.data).toMatchObject({ status: 3, errors: [{ code: 'no_files' }] });
    expect(stored[2]!.data).toMatchObject({ status: 2, log_type: 1, keys: [String(tea)] });
  });

  it('has no values that are quoted from files', async () => {
    const acme = await partnerWithWebhook();
    await acme.put('bad.csv', `${device(2)},999\n${device(3)}x,999\n`);
    const { errors } = await acme.import('bad.csv');
    expect(errors!.some(({ value }) => value !== null)).toBe(true);
    const [failed] = await events(acme.partnerId);
    expect(failed!.data.errors).toHaveLength(errors!.length);
    for (const error of failed!.data.errors) expect(error.value).toBeNull();
  });

  it('has the loads of audiences, their failed files and their compositions', async () => {
    const acme = await partnerWithWebhook();
    await acme.put('one/a.csv', `${device(1)},buyers\n${device(2)},buyers\n`);
    await acme.put('one/b.csv', 'not a device\n'.repeat(100));
    const audienceId = await acme.create('one/');
    await acme.append(audienceId, 'nothing/');
    await world.work();
    const stored = await events(acme.partnerId);
    expect(stored.map(({ type }) => type)).toEqual([
      'audience.file_failed',
      'composition.updated',
      'audience.loaded',
      'audience.file_failed',
    ]);
    const [bad, composition, loaded, nothing] = stored.map(({ data }) => data);
    expect(bad).toMatchObject({
      audience_id: audienceId,
      path: `${acme.prefix}one/`,
      file: `${acme.prefix}one/b.csv`,
      value: null,
    });
    expect(composition).toMatchObject({ audience_id: audienceId, unique_devices: 2 });
    expect(loaded).toMatchObject({ audience_id: audienceId, status: 0, uploaded_devices: 2 });
    expect(nothing).toMatchObject({ audience_id: audienceId, code: 'no_files', file: null });
  });

  it('has a composition only if its figures changed', async () => {
    const acme = await partnerWithWebhook();
    const two = `${device(1)},buyers\n${device(2)},buyers\n`;
    await acme.put('first.csv', two);
    await acme.put('same.csv', two);
    await acme.put('more.csv', `${device(3)},buyers\n`);
    const audienceId = await acme.create('first.csv');
    await world.work();
    const first = await acme.composition(audienceId);
    await acme.append(audienceId, 'same.csv');
    await world.work();
    const second = await acme.composition(audienceId);
    expect(second!.computedAt.getTime()).toBeGreaterThan(first!.computedAt.getTime());
    await acme.append(audienceId, 'more.csv');
    await world.work();
    const types = (await events(acme.partnerId)).map(({ type }) => type);
    const whole = ['composition.updated', 'audience.loaded'];
    expect(types).toEqual([...whole, 'audience.loaded', ...whole]);
  });

  it('has jobs that were cancelled because access was disabled', async () => {
    const acme = await partnerWithWebhook();
    const importLogId = await acme.queue('good.csv');
    const audienceId = await acme.create('one/');
    await disableAccess(world.records, { kind: 'partner', id: acme.partnerId });
    const stored = await events(acme.partnerId);
    expect(stored).toMatchObject([
      { type: 'import.failed', data: { import_log_id: importLogId, status: 3 } },
      { type: 'audience.file_failed', data: { audience_id: audienceId, code: 'access_disabled' } },
    ]);
  });

  it('has nothing of a transaction that is rolled back', async () => {
    const acme = await partnerWithWebhook();
    const tea = await acme.attribute();
    await acme.put('good.csv', `${device(1)},${tea}\n`);
    await acme.queue('good.csv');
    const claim = await world.claim();
    // The first attempt loses its claim, so its commit is refused.
    await world.records.jobs.release(claim, 0);
    await expect(world.run(claim)).rejects.toThrow('lost its claim');
    expect(await events(acme.partnerId)).toEqual([]);
    await world.work();
    expect(await events(acme.partnerId)).toHaveLength(1);
  });

  it('stays empty for a partner without a webhook, or without one for the type', async () => {
    const acme = await world.partner();
    let reads = 0;
    const emit = () =>
      world.records.inTransaction((tx) =>
        emitEvent(tx, acme.partnerId, 'watch.paused', () => ({ reads: ++reads })),
      );
    await emit();
    const only = { ...hook, events: ['import.failed'] as const };
    await world.records.webhooks.create(acme.partnerId, only);
    await emit();
    expect(reads).toBe(0);
    expect(await events(acme.partnerId)).toEqual([]);
    await world.records.webhooks.create(acme.partnerId, { ...only, events: ['watch.paused'] });
    await emit();
    expect(await events(acme.partnerId)).toMatchObject([{ data: { reads: 1 } }]);
    const { rows } = await sql`select from webhook_delivery join webhook using (webhook_id)
      where partner_id = ${acme.partnerId}`.execute(world.db);
    expect(rows).toHaveLength(1);
  });
});
