import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const ofPartner = (partnerId: number) => `/admin/v1/partners/${partnerId}/storage-credentials`;

async function issue(partnerId: number) {
  return app.call('POST', ofPartner(partnerId), { token: app.adminToken });
}

describe('storage credentials', () => {
  test('are created for a partner, limited to its prefix, and returned once', async () => {
    const { partner } = await app.partner();
    const { status, body } = await issue(partner.partnerId);
    expect(status).toBe(201);
    expect(body).toEqual({
      endpoint: 'http://localhost:9000',
      region: 'us-east-1',
      bucket: 'tributary',
      prefix: partner.prefix,
      accessKeyId: expect.stringMatching(/^TRIB[A-Z2-9]{16}$/),
      secretAccessKey: expect.stringMatching(/^[A-Za-z0-9+/]{40}$/),
      sessionToken: null,
      expires_at: null,
    });
    const listed = await app.call('GET', ofPartner(partner.partnerId), { token: app.adminToken });
    expect(listed.body).toEqual([
      {
        accessKeyId: body.accessKeyId,
        created_at: expect.any(String),
        last_used_at: null,
        revoked_at: null,
      },
    ]);
    expect(app.logged.join('')).not.toContain(body.secretAccessKey);
  });

  test('are valid until they are revoked', async () => {
    const { partner } = await app.partner();
    const { body } = await issue(partner.partnerId);
    const find = () => app.records.storageCredentials.find(body.accessKeyId);
    expect(await find()).toMatchObject({
      prefix: partner.prefix,
      secretAccessKey: body.secretAccessKey,
    });
    const revoked = await app.call(
      'DELETE',
      `${ofPartner(partner.partnerId)}/${body.accessKeyId}`,
      {
        token: app.adminToken,
      },
    );
    expect(revoked.status).toBe(204);
    expect(await find()).toBeUndefined();
  });

  test('are stored with the secret encrypted', async () => {
    const { partner } = await app.partner();
    const { body } = await issue(partner.partnerId);
    const row = await app.database.db
      .selectFrom('storage_credential')
      .selectAll()
      .where('access_key_id', '=', body.accessKeyId)
      .executeTakeFirstOrThrow();
    expect(row.sealed_secret.toString('latin1')).not.toContain(body.secretAccessKey);
  });

  test('of another or an unknown partner are not found', async () => {
    const { partner } = await app.partner();
    const other = await app.partner();
    const { body } = await issue(partner.partnerId);
    const paths = [
      `${ofPartner(other.partner.partnerId)}/${body.accessKeyId}`,
      `${ofPartner(partner.partnerId)}/TRIBNOTTHERE`,
    ];
    for (const path of paths) {
      expect((await app.call('DELETE', path, { token: app.adminToken })).status).toBe(404);
    }
    expect((await issue(999_999)).status).toBe(404);
  });

  test('of the embedded store refuse a key pair from outside', async () => {
    const { partner } = await app.partner();
    const { status, body } = await app.call('POST', ofPartner(partner.partnerId), {
      token: app.adminToken,
      json: { accessKeyId: 'AKIA', secretAccessKey: 'secret' },
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_input' });
  });
});

describe('storage credentials of an external store', () => {
  const keys = { accessKeyId: 'test:acme', secretAccessKey: 'made-there' };
  let elsewhere: TestApp;
  beforeAll(async () => {
    elsewhere = await startTestApp({ issuesStorageKeys: false });
  });
  afterAll(() => elsewhere[Symbol.asyncDispose]());

  async function send(json?: unknown) {
    const { partner } = await elsewhere.partner();
    const path = ofPartner(partner.partnerId);
    return {
      partner,
      ...(await elsewhere.call('POST', path, { token: elsewhere.adminToken, json })),
    };
  }

  test('are recorded as created there', async () => {
    const { status, body, partner } = await send(keys);
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { ...keys, prefix: partner.prefix },
    });
  });

  test('are refused if a part is missing or they are already recorded', async () => {
    const mine = { ...keys, accessKeyId: 'test:taken' };
    expect((await send(mine)).status).toBe(201);
    for (const json of [undefined, {}, { accessKeyId: 'test:half' }, mine]) {
      const { status, body } = await send(json);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_input' });
    }
  });
});

describe("an import from a partner's own bucket", () => {
  const credentials = {
    accessKeyId: 'AKIA',
    secretAccessKey: 'hunter2hunter2',
    region: 'us-east-1',
  };
  const request = { file_path: 's3://acme/devices.csv', key_type: 0, path_type: 1, credentials };

  async function queue(json: unknown) {
    const { apiKey } = await app.partner();
    return {
      apiKey,
      ...(await app.call('POST', '/v1/marketplace/import', { token: apiKey, json })),
    };
  }

  test('is queued, and neither its log nor ours shows the credentials', async () => {
    const { apiKey, status, body } = await queue(request);
    expect(status).toBe(202);
    const path = `/v1/marketplace/import/${body.import_log_id}`;
    const log = await app.call('GET', path, { token: apiKey });
    expect(log.body).toMatchObject({ file_path: 's3://acme/devices.csv', path_type: 1, status: 0 });
    expect(log.text).not.toMatch(/hunter2|AKIA/);
    expect(app.logged.join('')).not.toContain('hunter2');
  });

  test.each([
    ['without credentials', { ...request, credentials: undefined }, '/credentials'],
    [
      'from the shared bucket with credentials',
      { ...request, path_type: 0, file_path: 'a' },
      '/credentials',
    ],
    ['with a relative path', { ...request, file_path: 'devices.csv' }, '/file_path'],
    ['with a host name as the bucket', { ...request, file_path: 's3://a.b:1/x' }, '/file_path'],
    [
      'with an invalid region',
      { ...request, credentials: { ...credentials, region: 'us-east-1.evil.com' } },
      '/credentials/region',
    ],
    [
      'with an invalid secret',
      { ...request, credentials: { ...credentials, secretAccessKey: 'a b' } },
      '/credentials/secretAccessKey',
    ],
    [
      'with an unknown field',
      { ...request, credentials: { ...credentials, endpoint: 'http://evil' } },
      '/credentials/endpoint',
    ],
  ])('is refused %s', async (_, json, pointer) => {
    const { status, body } = await queue(json);
    expect(status).toBe(400);
    expect(body.errors.map((issue: { pointer: string }) => issue.pointer)).toEqual([pointer]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });
});
