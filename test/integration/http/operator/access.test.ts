import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { password, signIn, someUser } from '../../../support/console-session.ts';
import { expectProblem } from '../../../support/http.ts';
import { audiencePartner, audiencesPath } from '../../../support/http-audiences.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ wrongCredentials: 3 });
});
afterAll(() => app[Symbol.asyncDispose]());

function operator(method: string, path: string, json?: unknown) {
  return app.call(method, `/admin/v1${path}`, { token: app.adminToken, json });
}

async function setDisabled(path: string, disabled: boolean): Promise<void> {
  const { status, text } = await operator('PATCH', path, { disabled });
  expect(`${status} ${text}`).toBe('204 ');
}

const attributes = '/v1/marketplace/attribute';
const importPlace = { filePath: 'x.csv', pathType: 1, keyType: 1 } as const;
const credentials = { accessKeyId: 'AKIA', secretAccessKey: 's', region: 'eu-west-1' };

test('partners and customers are renamed', async () => {
  const { partner } = await app.partner('acme');
  const { customerId } = await someUser(app);
  for (const [list, path] of [
    ['/partners', `/partners/${partner.partnerId}`],
    ['/customers', `/customers/${customerId}`],
  ] as const) {
    const renamed = await operator('PATCH', path, { name: '  Harbor Data ' });
    expect(renamed.status).toBe(204);
    expect((await operator('GET', list)).body).toContainEqual(
      expect.objectContaining({ name: 'Harbor Data', disabled_at: null }),
    );
    // The change is written after the response is sent.
    await expect
      .poll(async () => (await operator('GET', '/audit?limit=1&changes=true')).body)
      .toMatchObject([{ before: { name: expect.any(String) }, after: { name: '  Harbor Data ' } }]);
    for (const json of [{}, { name: '' }, { name: 'a\u0000b' }]) {
      expectProblem(await operator('PATCH', path, json), 400, 'invalid_input');
    }
  }
  expectProblem(await operator('PATCH', '/partners/999999', { name: 'x' }), 404, 'not_found');
});

describe('a disabled partner', () => {
  test('is refused with its keys and sessions, and works again once enabled', async () => {
    const { partner, apiKey } = await app.partner();
    const path = `/partners/${partner.partnerId}`;
    const session = await signIn(app, { api_key: apiKey });
    await setDisabled(path, true);
    // More often than wrong keys are allowed: the key is right.
    for (let i = 0; i < 5; i++) {
      const refused = await app.call('GET', attributes, { token: apiKey });
      expect(expectProblem(refused, 403, 'forbidden').detail).toContain('Access is disabled');
    }
    expectProblem(await session.call('GET', '/v1/console/jobs'), 401, 'unauthenticated');
    const signInAgain = await app.call('POST', '/v1/console/session', {
      json: { api_key: apiKey },
    });
    expectProblem(signInAgain, 403, 'forbidden');
    const listed = await operator('GET', '/partners');
    const disabledAt = listed.body.find(
      (each: { partner_id: number }) => each.partner_id === partner.partnerId,
    ).disabled_at;
    expect(new Date(disabledAt).getTime()).not.toBeNaN();

    await setDisabled(path, true);
    await setDisabled(path, false);
    expect((await app.call('GET', attributes, { token: apiKey })).status).toBe(200);
    expectProblem(await session.call('GET', '/v1/console/jobs'), 401, 'unauthenticated');
  });

  test('has no open jobs: they are cancelled, and none of them can commit', async () => {
    const { partner, apiKey } = await app.partner();
    const { partnerId } = partner;
    const running = await queueImport(app.records, partnerId, importPlace, credentials);
    const waiting = await queueImport(app.records, partnerId, importPlace, credentials);
    const claim = await app.records.jobs.claim(60);
    expect(claim?.jobId).toBe(running);
    const held = await operator('GET', `/partners/${partnerId}/holdings`);
    expect(held.body).toMatchObject({ api_keys: 1, open_jobs: 2, sessions: 0, object_bytes: 0 });
    await setDisabled(`/partners/${partnerId}`, true);
    await expect(app.records.jobs.settle(claim!, 'done')).rejects.toThrow('lost its claim');
    expect(await app.records.jobs.claim(60)).toBeUndefined();
    await expect(app.records.importLogs.credentials(waiting)).rejects.toThrow();

    await setDisabled(`/partners/${partnerId}`, false);
    expect(await app.records.jobs.claim(60)).toBeUndefined();
    const logs = await app.call('GET', '/v1/marketplace/import', { token: apiKey });
    expect(logs.body).toHaveLength(2);
    for (const log of logs.body) {
      expect(log).toMatchObject({ status: 3, errors: [{ code: 'access_disabled' }] });
    }
    const jobs = await app.call('GET', '/v1/console/jobs', { token: apiKey });
    expect(jobs.body[0]).toMatchObject({
      state: 'cancelled',
      problem: { code: 'access_disabled' },
    });
  });

  test('cannot finish a write that began before', async () => {
    const { partner } = await app.partner();
    const { partnerId } = partner;
    let disabling: Promise<void> | undefined;
    let isDisabled = false;
    await app.records.inTransaction(async (tx) => {
      await tx.access.hold(partnerId, null);
      disabling = setDisabled(`/partners/${partnerId}`, true).then(() => {
        isDisabled = true;
      });
      await queueImport(tx, partnerId, importPlace);
      expect(isDisabled).toBe(false);
    });
    await disabling;
    // The write committed first, so its job is cancelled like any other.
    expect(await app.records.access.openJobs({ kind: 'partner', id: partnerId })).toEqual([]);
    await expect(app.records.access.hold(partnerId, null)).rejects.toThrow('disabled');
  });

  test('stores no object whose upload began before', async () => {
    const { partner } = await app.partner();
    const key = `${partner.prefix}late.csv`;
    async function* slowly() {
      yield Buffer.from('a');
      await setDisabled(`/partners/${partner.partnerId}`, true);
      yield Buffer.from('b');
    }
    await expect(app.objects.put(key, slowly())).rejects.toThrow('Access is disabled');
    expect(await app.objects.stat(key)).toBeUndefined();
    expect((await app.records.storageUses.of(partner.partnerId)).bytes).toBe(0);
  });

  test('is not found if it does not exist', async () => {
    for (const path of ['/partners/999999', '/customers/999999', '/partners/x']) {
      expectProblem(await operator('PATCH', path, { disabled: true }), 404, 'not_found');
      expectProblem(await operator('GET', `${path}/holdings`), 404, 'not_found');
    }
  });
});

describe('a disabled customer', () => {
  test('is refused with its users and tokens, and its loads are cancelled', async () => {
    const partner = await audiencePartner(app);
    const { customerId, email } = await someUser(app);
    const { userToken } = await app.records.userTokens.create(partner.partnerId, customerId, null);
    const headers = { 'x-user-token': userToken };
    const own = await partner.create();
    const theirs = await partner.create({}, { headers });
    const session = await signIn(app, { email, password });
    const held = await operator('GET', `/customers/${customerId}/holdings`);
    expect(held.body).toEqual({
      users: 1,
      user_tokens: 1,
      grants: 0,
      sessions: 1,
      open_jobs: 1,
      audiences: 1,
    });

    await setDisabled(`/customers/${customerId}`, true);
    expectProblem(await partner.call('GET', audiencesPath, { headers }), 403, 'forbidden');
    expectProblem(await session.call('GET', '/v1/console/apps'), 401, 'unauthenticated');
    const signInAgain = await app.call('POST', '/v1/console/session', {
      json: { email, password },
    });
    expectProblem(signInAgain, 403, 'forbidden');
    await expect(app.records.access.hold(partner.partnerId, customerId)).rejects.toThrow(
      'disabled',
    );
    // The partner's own load still waits.
    expect((await partner.call('GET', `${audiencesPath}/${own}`)).body.status).toBe(0);

    await setDisabled(`/customers/${customerId}`, false);
    const audience = await partner.call('GET', `${audiencesPath}/${theirs}`, { headers });
    expect(audience.body.status).toBe(3);
    const problems = await partner.call('GET', `${audiencesPath}/${theirs}/errors`, { headers });
    expect(problems.body).toMatchObject([{ code: 'access_disabled' }]);
    const load = await partner.beginLoad();
    expect(load.load.audienceId).toBe(own);
    expect(await app.records.jobs.claim(60)).toBeUndefined();
  });
});
