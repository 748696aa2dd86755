import * as client from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { expectProblem, pointersOf } from '../../../support/http.ts';
import { partnerApp, userAt } from '../../../support/oauth.ts';

let service: TestApp;
let partnerId: number;
beforeAll(async () => {
  service = await startTestApp();
  ({
    partner: { partnerId },
  } = await service.partner());
});
afterAll(() => service[Symbol.asyncDispose]());

const name = 'Audience Loader';
const redirect_uris = ['https://app.acme.example/callback', 'http://localhost:3000/callback'];

function call(method: string, path: string, json?: unknown, of = partnerId) {
  return service.call(method, `/admin/v1/partners/${of}/oauth-apps${path}`, {
    token: service.adminToken,
    json,
  });
}

test('apps are created, listed without their secrets, changed and removed', async () => {
  const created = await call('POST', '', { name, kind: 'confidential', redirect_uris });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    client_id: expect.stringMatching(/^app_[0-9a-f]{32}$/),
    client_secret: expect.stringMatching(/^trib_client_[\w-]{43}$/),
  });
  const spa = await call('POST', '', { name: 'In a browser', kind: 'public', redirect_uris });
  expect(spa.body.client_secret).toBeNull();
  const listed = await call('GET', '');
  expect(listed.body).toEqual([
    {
      client_id: created.body.client_id,
      name,
      kind: 'confidential',
      redirect_uris,
      is_disabled: false,
      created_at: expect.stringMatching(/Z$/),
    },
    expect.objectContaining({ client_id: spa.body.client_id, kind: 'public' }),
  ]);
  const one = `/${created.body.client_id}`;
  const change = { name: 'Loader', redirect_uris: ['https://b.example/'], disabled: true };
  expect((await call('PATCH', one, change)).status).toBe(204);
  expect((await call('GET', '')).body[0]).toMatchObject({
    name: 'Loader',
    redirect_uris: ['https://b.example/'],
    is_disabled: true,
  });
  expect((await call('PATCH', one, { disabled: false })).status).toBe(204);
  expect((await call('GET', '')).body[0]).toMatchObject({ name: 'Loader', is_disabled: false });
  expect((await call('DELETE', one)).status).toBe(204);
  expectProblem(await call('DELETE', one), 404, 'not_found');
  expect((await call('GET', '')).body).toHaveLength(1);
});

test('a secret is replaced, and the previous one is refused', async () => {
  const app = await partnerApp([service]);
  const { browser } = await userAt([service]);
  const { refreshToken } = await app.tokensFrom(browser);
  const path = `/${app.clientId}/secret`;
  const replaced = await call('POST', path, undefined, app.partnerId);
  expect(replaced.status).toBe(201);
  expect(Object.keys(replaced.body)).toEqual(['client_secret']);
  await expect(client.refreshTokenGrant(app.config, refreshToken)).rejects.toMatchObject({
    status: 401,
  });
  const config = new client.Configuration(
    app.config.serverMetadata(),
    app.clientId,
    undefined,
    client.ClientSecretPost(replaced.body.client_secret),
  );
  client.allowInsecureRequests(config);
  config[client.customFetch] = app.config[client.customFetch]!;
  await client.refreshTokenGrant(config, refreshToken);
  const spa = await call('POST', '', { name, kind: 'public', redirect_uris });
  const none = await call('POST', `/${spa.body.client_id}/secret`);
  expectProblem(none, 400, 'invalid_input');
});

test('invalid fields are refused by name', async () => {
  const refused: [object, string[]][] = [
    [{}, ['/kind', '/name', '/redirect_uris']],
    [{ name: '', kind: 'confidential', redirect_uris }, ['/name']],
    [{ name, kind: 'secret', redirect_uris }, ['/kind']],
    [{ name, kind: 'public', redirect_uris: [] }, ['/redirect_uris']],
    [{ name, kind: 'public', redirect_uris: 'https://a.example/' }, ['/redirect_uris']],
    [
      {
        name,
        kind: 'public',
        redirect_uris: ['https://a.example/', 'http://a.example/', 'https://*.example/'],
      },
      ['/redirect_uris/1', '/redirect_uris/2'],
    ],
    [{ name, kind: 'public', redirect_uris, scope: 'x' }, ['/scope']],
  ];
  for (const [json, pointers] of refused) {
    const problem = expectProblem(await call('POST', '', json), 400, 'invalid_input');
    expect(pointersOf(problem)).toEqual(pointers);
  }
  const { body } = await call('POST', '', { name, kind: 'public', redirect_uris });
  const one = `/${body.client_id}`;
  expectProblem(await call('PATCH', one, {}), 400, 'invalid_input');
  expectProblem(await call('PATCH', one, { kind: 'confidential' }), 400, 'invalid_input');
  const faulty = await call('PATCH', one, { redirect_uris: ['https://a.example/#'] });
  expect(pointersOf(expectProblem(faulty, 400, 'invalid_input'))).toEqual(['/redirect_uris/0']);
});

test('apps are found only through their own partner', async () => {
  const { body } = await call('POST', '', { name, kind: 'confidential', redirect_uris });
  const { partner } = await service.partner();
  for (const other of [partner.partnerId, 999_999]) {
    const one = `/${body.client_id}`;
    expectProblem(await call('PATCH', one, { disabled: true }, other), 404, 'not_found');
    expectProblem(await call('POST', `${one}/secret`, undefined, other), 404, 'not_found');
    expectProblem(await call('DELETE', one, undefined, other), 404, 'not_found');
  }
  for (const unknown of ['/x', '/%00', `/app_${'0'.repeat(32)}`]) {
    expectProblem(await call('DELETE', unknown), 404, 'not_found');
  }
  expectProblem(await call('GET', '', undefined, 999_999), 404, 'not_found');
});
