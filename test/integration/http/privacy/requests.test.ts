import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { eventually, expectProblem, pointersOf } from '../../../support/http.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ uploadRetentionDays: 30 });
});
afterAll(() => app[Symbol.asyncDispose]());

const path = '/admin/v1/privacy/requests';
const device = 'a3f1c2d4-5678-90ab-cdef-1234567890ab';
const hash = '250KY6lOgzYUB3EHrkbDCE2kMEZQE69SF38muhoDudI=';

function call(method: string, rest = '', json?: unknown, headers: Record<string, string> = {}) {
  return app.call(method, path + rest, { token: app.adminToken, json, headers });
}

async function create(body: object) {
  const answer = await call('POST', '', { kind: 'delete', identifiers: [randomUUID()], ...body });
  expect(answer.status).toBe(202);
  return answer.body;
}

describe('a privacy request', () => {
  test('names devices in any spelling, or by their digests', async () => {
    const spellings = [
      device,
      device.toUpperCase(),
      device.replaceAll('-', ''),
      `{${device}}`,
      ` ${device}\t`,
      `urn:uuid:${device}`,
      hash,
      Buffer.from(hash, 'base64').toString('hex'),
      Buffer.from(hash, 'base64').toString('hex').toUpperCase(),
    ];
    for (const spelling of spellings) {
      const { request_id } = await create({ identifiers: [spelling] });
      const listed = await call('GET', `/${request_id}/identifiers`);
      expect(listed.body).toEqual([{ position: 1, digest: hash, found: null }]);
    }
    const together = await create({ identifiers: [...spellings, randomUUID()] });
    expect(together.identifiers).toBe(2);
    // The device itself is kept if both are given.
    const [first] = await app.records.privacyRequests.identifiers(together.request_id);
    expect(first?.device).toBe(device.replaceAll('-', ''));
  });

  test('is answered with its state, and has a path of its own', async () => {
    const answer = await call('POST', '', {
      kind: 'opt_out',
      reference: 'case 7',
      identifiers: [device],
    });
    expect(answer.body).toEqual({
      request_id: expect.any(Number),
      kind: 'opt_out',
      reference: 'case 7',
      state: 'received',
      identifiers: 1,
      counts: null,
      received_at: expect.stringMatching(/Z$/),
      suppressed_at: null,
      removed_at: null,
      done_at: null,
      raw_files_until: null,
      raw_files_kept_for_good: 0,
    });
    const location = answer.headers.get('location')!;
    expect(location).toBe(`${path}/${answer.body.request_id}`);
    const own = await app.call('GET', location, { token: app.adminToken });
    expect(own.body).toEqual(answer.body);
  });

  test('takes effect once for an Idempotency-Key', async () => {
    const body = { kind: 'delete', identifiers: [device] };
    const key = { 'Idempotency-Key': 'case 8' };
    const [first, again] = [await call('POST', '', body, key), await call('POST', '', body, key)];
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    const other = await call('POST', '', { ...body, kind: 'access' }, key);
    expectProblem(other, 422, 'idempotency_key_reused');
  });

  test('with a wrong identifier is refused as a whole, without quoting it', async () => {
    const wrong = ['no-identifier', device.slice(1), '0'.repeat(32), 'a'.repeat(40), `${hash}=`];
    const answer = await call('POST', '', { kind: 'delete', identifiers: [device, ...wrong] });
    const problem = expectProblem(answer, 400, 'invalid_input');
    expect(pointersOf(problem)).toEqual(wrong.map((_, i) => `/identifiers/${i + 1}`));
    for (const text of wrong) expect(answer.text).not.toContain(text);
    for (const body of [
      { identifiers: [] },
      { identifiers: device },
      { identifiers: Array.from({ length: 10_001 }, () => device) },
      { kind: 'forget' },
      { reference: 'a\nb' },
      { reference: `case of ${device.toUpperCase()}` },
      { more: 1 },
    ]) {
      const refused = await call('POST', '', { kind: 'delete', identifiers: [device], ...body });
      expectProblem(refused, 400, 'invalid_input');
    }
    expectProblem(await call('GET', '/999999'), 404, 'not_found');
    expectProblem(await call('GET', '/999999/findings'), 404, 'not_found');
    expectProblem(await app.call('POST', path, { json: {} }), 401, 'unauthenticated');
  });

  test('may have 10,000 identifiers, and its lists are paged', async () => {
    const identifiers = Array.from({ length: 10_000 }, (_, n) =>
      createHash('sha256').update(String(n)).digest('hex'),
    );
    const { request_id } = await create({ identifiers });
    const all = await call('GET', `/${request_id}/identifiers`);
    expect(all.body).toHaveLength(10_000);
    const page = await call('GET', `/${request_id}/identifiers?limit=2&after=9997`);
    expect(page.body.map(({ position }: { position: number }) => position)).toEqual([9998, 9999]);
    expect(page.headers.get('link')).toContain('after=9999');
  });

  test('is found by kind, state and reference, newest first', async () => {
    const [older, newer] = [
      await create({ reference: 'case 9', kind: 'access' }),
      await create({ reference: 'case 9' }),
    ];
    const ids = async (query: string) =>
      (await call('GET', query)).body.map((each: { request_id: number }) => each.request_id);
    expect(await ids('?reference=case%209')).toEqual([newer.request_id, older.request_id]);
    expect(await ids('?reference=case%209&kind=access')).toEqual([older.request_id]);
    expect(await ids('?reference=case%209&state=done')).toEqual([]);
    expect(await ids(`?limit=1&after=${newer.request_id}`)).toEqual([older.request_id]);
  });

  test('leaves no identifier in the audit log, in logs, or readable in the database', async () => {
    const secret = randomUUID();
    const { request_id } = await create({ identifiers: [secret], reference: 'case 10' });
    const entry = await eventually(async () => {
      const filter = { action: `POST ${path}` };
      const [last] = await app.records.auditLog.list(filter, { after: null, limit: 1 });
      expect(last?.after).toMatchObject({ request_id });
      return last!;
    });
    expect(entry.after).toEqual({
      request_id,
      kind: 'delete',
      reference: 'case 10',
      identifiers: 1,
    });
    expect(app.logged.join('')).not.toContain(secret);
    const row = await app.database.db
      .selectFrom('privacy_request')
      .selectAll()
      .where('request_id', '=', request_id)
      .executeTakeFirstOrThrow();
    const bytes = Buffer.from(secret.replaceAll('-', ''), 'hex');
    expect(row.sealed_devices!.includes(bytes)).toBe(false);
    expect(row.sealed_devices!.includes(secret.replaceAll('-', ''))).toBe(false);
  });

  test('says until when uploaded files may hold the devices', async () => {
    const { partner } = await app.partner();
    const { request_id } = await create({});
    const { privacyRequests, partners } = app.records;
    const shown = async () => (await call('GET', `/${request_id}`)).body;
    await privacyRequests.setSuppressed(request_id, { plain: 1, digests: null });
    const { suppressed_at, raw_files_until } = await shown();
    const hours = (Date.parse(raw_files_until) - Date.parse(suppressed_at)) / 3_600_000;
    // No partner has files.
    expect(hours).toBe(1);
    async function* content() {
      yield Buffer.from('x');
    }
    await app.objects.put(`${partner.prefix}x`, content());
    const until = async () =>
      (Date.parse((await shown()).raw_files_until) - Date.parse(suppressed_at)) / 3_600_000;
    expect(await until()).toBe(30 * 24 + 1);
    await partners.setUploadRetention(partner.partnerId, 90);
    expect(await until()).toBe(90 * 24 + 1);
    await partners.setUploadRetention(partner.partnerId, 0);
    expect(await shown()).toMatchObject({ raw_files_until: null, raw_files_kept_for_good: 1 });
  });
});

describe('the findings of an access request', () => {
  test('are listed when it is done', async () => {
    const { partner } = await app.partner('finder');
    const { request_id } = await create({ kind: 'access', identifiers: [device] });
    const { privacyRequests } = app.records;
    const heldSince = new Date('2026-01-31T12:00:00.000Z');
    const found = { position: 1, name: 'Tea', partnerId: partner.partnerId };
    await privacyRequests.addFindings(request_id, [
      { ...found, attributeId: 5, audienceId: null, heldSince, isExact: true },
      { ...found, attributeId: null, audienceId: 6, heldSince: null, isExact: false },
    ]);
    expect((await call('GET', `/${request_id}/findings`)).body).toEqual([]);
    await privacyRequests.finishAccess(request_id);
    expect((await call('GET', `/${request_id}/findings`)).body).toEqual([
      {
        finding_id: expect.any(Number),
        position: 1,
        digest: hash,
        attribute_id: 5,
        audience_id: null,
        name: 'Tea',
        partner_id: partner.partnerId,
        partner_name: 'finder',
        held_since: heldSince.toISOString(),
        is_exact: true,
      },
      expect.objectContaining({ attribute_id: null, audience_id: 6, held_since: null }),
    ]);
  });
});
