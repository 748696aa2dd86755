import { Readable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEndpoint } from '../../../../src/objects/endpoint/endpoint.ts';
import { createEndpointUploadLinks } from '../../../../src/objects/endpoint/signing/upload-links.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { bytesOf } from '../../../support/blobs.ts';
import { password, signIn, someUser } from '../../../support/console-session.ts';
import { freePort } from '../../../support/free-port.ts';
import { openGuard } from '../../../support/guesses.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';

const path = '/v1/console/uploads';
const site = { bucket: 'tributary', region: 'us-east-1' };
const consoleOrigin = 'http://localhost:8080';

const resources = new AsyncDisposableStack();
let app: TestApp;
let storageUrl: string;
beforeAll(async () => {
  const port = await freePort();
  storageUrl = `http://127.0.0.1:${port}`;
  app = resources.use(await startTestApp({ storageUrl }));
  const endpoint = createEndpoint({
    guard: openGuard(),
    ...site,
    store: app.objects,
    credentials: app.records.storageCredentials,
    corsOrigin: consoleOrigin,
    log: pino({ level: 'silent' }),
  });
  resources.use(await endpoint.listen('127.0.0.1', port));
});
afterAll(() => resources.disposeAsync());

async function uploader() {
  const { partner, apiKey } = await app.partner();
  const [key] = await app.records.apiKeys.list(partner.partnerId);
  return {
    ...partner,
    apiKey,
    apiKeyId: key!.apiKeyId,
    ask: (json: unknown) => app.call('POST', path, { token: apiKey, json }),
  };
}

const put = (url: string, body = 'bytes', headers: Record<string, string> = {}) =>
  fetch(url, { method: 'PUT', body, headers });

async function refusalOf(answer: Response): Promise<string> {
  return `${answer.status} ${/<Code>(\w+)</.exec(await answer.text())?.[1]}`;
}

async function textAt(key: string): Promise<string | undefined> {
  const version = await app.objects.stat(key);
  return version && String(await bytesOf(app.objects.open(version, 0)));
}

function accessKeyOf(url: string): string {
  return new URL(url).searchParams.get('X-Amz-Credential')?.split('/')[0] ?? '';
}

describe('the list of uploaded files', () => {
  const list = async (token: string, query: Record<string, string> = {}) =>
    app.call('GET', `/v1/console/objects?${new URLSearchParams(query)}`, { token });

  test('has one folder in pages, relative to the prefix of the partner, and nothing of others', async () => {
    const { prefix, apiKey } = await uploader();
    const other = await uploader();
    await app.objects.put(`${other.prefix}theirs.csv`, Readable.from([Buffer.from('x')]));
    for (const path of ['a.csv', 'may/1.csv', 'may/2.csv', 'may/deep/3.csv']) {
      await app.objects.put(prefix + path, Readable.from([Buffer.from('bytes')]));
    }
    const file = (path: string) => ({ path, size: 5, modified_at: expect.any(String) });
    expect((await list(apiKey)).body).toEqual({
      folders: ['may/'],
      files: [file('a.csv')],
      next: null,
    });
    expect((await list(apiKey, { prefix: 'may/' })).body).toEqual({
      folders: ['may/deep/'],
      files: [file('may/1.csv'), file('may/2.csv')],
      next: null,
    });
    const { next, ...first } = (await list(apiKey, { prefix: 'may/', limit: '2' })).body;
    expect(first).toEqual({ folders: [], files: [file('may/1.csv'), file('may/2.csv')] });
    expect((await list(apiKey, { prefix: 'may/', after: next })).body).toEqual({
      folders: ['may/deep/'],
      files: [],
      next: null,
    });
    const foreign = Buffer.from(other.prefix).toString('base64url');
    const noText = Buffer.from([...Buffer.from(prefix), 0xff]).toString('base64url');
    for (const after of [foreign, noText, 'bogus', 'a'.repeat(1_400)]) {
      expectProblem(await list(apiKey, { after }), 400, 'invalid_input');
    }
  });

  test.each(['../', 'a/../../', 's3://tributary/', '\u0000'])(
    'refuses the prefix %j',
    async (prefix) => {
      const { apiKey } = await uploader();
      const answer = await list(apiKey, { prefix });
      expect(pointersOf(expectProblem(answer, 400, 'invalid_input'))).toEqual(['/prefix']);
    },
  );
});

describe('an upload from the browser', () => {
  test('gets a link, stores the bytes, and can be imported by its path', async () => {
    const { ask, prefix, apiKey, apiKeyId, partnerId } = await uploader();
    const { status, body, headers } = await ask({ path: '2026/ü 1.csv' });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      s3_path: `${prefix}2026/ü 1.csv`,
      file_path: '2026/ü 1.csv',
      url: expect.stringContaining(`${storageUrl}/tributary/${prefix}2026/%C3%BC%201.csv?`),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    });
    const seconds = (Date.parse(body.expires_at) - Date.now()) / 1000;
    expect(seconds).toBeGreaterThan(15 * 60 - 10);
    expect(seconds).toBeLessThanOrEqual(15 * 60);

    expect((await put(body.url)).status).toBe(200);
    expect(await textAt(body.s3_path)).toBe('bytes');
    const uploads = { partnerId, action: 's3:PutObject' };
    const [entry] = await app.records.auditLog.list(uploads, { after: null, limit: 1 });
    expect(entry).toMatchObject({
      target: `/tributary/${prefix}2026/ü 1.csv`,
      apiKeyId,
      accessKeyId: accessKeyOf(body.url),
      remoteAddress: '127.0.0.1',
    });
    const json = { file_path: body.file_path, key_type: 1 };
    const queued = await app.call('POST', '/v1/marketplace/import', { token: apiKey, json });
    expect(queued.status).toBe(202);
  });

  test('passes the CORS preflight, and the browser may read the response', async () => {
    const { ask } = await uploader();
    const { url } = (await ask({ path: 'devices.csv' })).body;
    for (const origin of [consoleOrigin, 'http://127.0.0.1:8080']) {
      const requested = {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      };
      const preflight = await fetch(url, { method: 'OPTIONS', headers: requested });
      expect(preflight.status).toBe(200);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
      expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
      expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type');
      const answer = await put(url, 'bytes', { origin, 'content-type': 'text/csv' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-expose-headers')).toContain('ETag');
    }
    const elsewhere = { origin: 'http://localhost:8081', 'access-control-request-method': 'PUT' };
    expect((await fetch(url, { method: 'OPTIONS', headers: elsewhere })).status).toBe(403);
  });

  test.each([
    [{ path: '../partner-1/devices.csv' }, '/path'],
    [{ path: 'a/../../b' }, '/path'],
    [{ path: './devices.csv' }, '/path'],
    [{ path: 'folder/' }, '/path'],
    [{ path: '/' }, '/path'],
    [{ path: '' }, '/path'],
    [{ path: 's3://tributary/partner-1/devices.csv' }, '/path'],
    [{ path: 'a\nb' }, '/path'],
    [{ path: 'x'.repeat(1_025) }, '/path'],
    [{ path: 1 }, '/path'],
    [{}, '/path'],
    [{ path: 'devices.csv', expires_in: 1 }, '/expires_in'],
  ])('is refused for %j', async (json, pointer) => {
    const { ask } = await uploader();
    expect(pointersOf(expectProblem(await ask(json), 400, 'invalid_input'))).toEqual([pointer]);
  });

  test('is only for partners', async () => {
    const json = { path: 'devices.csv' };
    expectProblem(await app.call('POST', path, { json }), 401, 'unauthenticated');
    const { partnerId } = await uploader();
    const { apiKey, apiKeyId } = await app.records.apiKeys.create(partnerId, '');
    await app.records.apiKeys.revoke(partnerId, apiKeyId);
    const revoked = await app.call('POST', path, { token: apiKey, json });
    expectProblem(revoked, 401, 'unauthenticated');
  });

  test("is allowed in a partner's console session and refused in a customer's", async () => {
    const json = { path: 'devices.csv' };
    const { apiKey, prefix } = await uploader();
    const partner = await signIn(app, { api_key: apiKey });
    const { status, body } = await partner.call('POST', path, { json });
    expect(`${status} ${body.s3_path}`).toBe(`201 ${prefix}devices.csv`);
    const { cookie } = partner;
    expectProblem(await app.call('POST', path, { json, headers: { cookie } }), 403, 'forbidden');

    const { email } = await someUser(app);
    const customer = await signIn(app, { email, password });
    expectProblem(await customer.call('POST', path, { json }), 403, 'forbidden');
  });
});

describe('an upload link', () => {
  test('accepts only a PUT of one key of its partner', async () => {
    const [owner, other] = [await uploader(), await uploader()];
    const { url, s3_path } = (await owner.ask({ path: 'devices.csv' })).body;
    const elsewhere = [
      url.replace('devices.csv', 'others.csv'),
      url.replace(owner.prefix, other.prefix),
      url.replace(`${owner.prefix}devices.csv`, ''),
    ];
    for (const changed of elsewhere) {
      expect(await refusalOf(await put(changed))).toBe('403 SignatureDoesNotMatch');
    }
    for (const method of ['GET', 'DELETE', 'POST']) {
      expect(await refusalOf(await fetch(url, { method }))).toBe('403 SignatureDoesNotMatch');
    }
    const copying = { 'x-amz-copy-source': `tributary/${other.prefix}secret` };
    expect(await refusalOf(await put(url, '', copying))).toBe('403 AccessDenied');
    expect(await textAt(s3_path)).toBeUndefined();
    expect(await textAt(`${other.prefix}devices.csv`)).toBeUndefined();
  });

  test("is signed with a key that cannot write to another partner's prefix", async () => {
    const [owner, other] = [await uploader(), await uploader()];
    const links = createEndpointUploadLinks({
      ...site,
      publicUrl: storageUrl,
      credentials: app.records.storageCredentials,
    });
    const { url } = await links.create(owner, `${other.prefix}devices.csv`);
    expect(await refusalOf(await put(url))).toBe('403 AccessDenied');
  });

  test('shares its key with other links of the partner, and the key is not listed', async () => {
    const { ask, partnerId } = await uploader();
    const urls: string[] = [];
    for (const name of ['a', 'b']) urls.push((await ask({ path: name })).body.url);
    const [accessKeyId = '', ...others] = new Set(urls.map(accessKeyOf));
    expect(others).toEqual([]);
    const credentials = `/admin/v1/partners/${partnerId}/storage-credentials`;
    const asOperator = { token: app.adminToken };
    expect((await app.call('GET', credentials, asOperator)).body).toEqual([]);
    const revoked = await app.call('DELETE', `${credentials}/${accessKeyId}`, asOperator);
    expectProblem(revoked, 404, 'not_found');
    for (const url of urls) expect((await put(url)).status).toBe(200);
  });

  test('expires with its key at the latest', async () => {
    const { ask } = await uploader();
    const { url, s3_path } = (await ask({ path: 'late.csv' })).body;
    await app.database.db
      .updateTable('storage_credential')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where('access_key_id', '=', accessKeyOf(url))
      .execute();
    expect(await refusalOf(await put(url))).toBe('403 InvalidAccessKeyId');
    await app.records.storageCredentials.prune();
    expect(await refusalOf(await put(url))).toBe('403 InvalidAccessKeyId');
    expect(await textAt(s3_path)).toBeUndefined();
    const { url: next } = (await ask({ path: 'late.csv' })).body;
    expect((await put(next)).status).toBe(200);
  });

  test('ends with the API key that asked for it, also through a console session', async () => {
    const { ask, apiKey, partnerId, apiKeyId } = await uploader();
    const session = await signIn(app, { api_key: apiKey });
    const other = await app.records.apiKeys.create(partnerId, '');
    const json = { path: 'devices.csv' };
    const answers = [
      await ask(json),
      await session.call('POST', path, { json }),
      await app.call('POST', path, { json, token: other.apiKey }),
    ];
    const urls = answers.map(({ body }) => body.url as string);
    for (const url of urls) expect((await put(url)).status).toBe(200);
    await app.records.apiKeys.revoke(partnerId, apiKeyId);
    const after = await Promise.all(urls.map(async (url) => refusalOf(await put(url))));
    expect(after).toEqual(['403 InvalidAccessKeyId', '403 InvalidAccessKeyId', '200 undefined']);
  });

  test('is never logged', async () => {
    const { ask } = await uploader();
    const { url } = (await ask({ path: 'logged.csv' })).body;
    const signature = new URL(url).searchParams.get('X-Amz-Signature') ?? '';
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    expect(app.logged.join('')).not.toContain(signature);
  });
});
