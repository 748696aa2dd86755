import { expect } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { apiOf } from './api.ts';
import { tributary } from './command-line.ts';
import { openCookieJar } from './cookie-jar.ts';
import { startExampleApp } from './example-app.ts';
import type { Marketplace } from './marketplace/marketplace.ts';
import { test } from './marketplace/shared-marketplace.ts';

let marketplace: Marketplace;
let url: string;
test.beforeAll(({ shared }) => {
  marketplace = shared;
  url = marketplace.service.url;
});

function operator(...args: string[]) {
  return tributary(marketplace.service, args, { TRIBUTARY_ADMIN_TOKEN: marketplace.adminToken });
}

const web = 'https://app.acme.example/callback';
const local = 'http://127.0.0.1:3000/callback';

test('the operator registers an app, changes, disables, enables and removes it', async () => {
  const partner = String((await marketplace.partner()).partnerId);
  expect((await operator('app', 'list', partner)).stdout).toBe('The partner has no apps.\n');
  const create = ['app', 'create', partner, '--name', 'Loader', '--redirect-uri', web];
  const created = await operator(...create, '--redirect-uri', local);
  const [, id = '', secret = ''] =
    /^client_id +(app_\w+)\nclient_secret +(trib_client_\S+)\n$/.exec(created.stdout) ?? [];
  const listed = await operator('app', 'list', partner);
  expect(listed.stdout).toContain(`${id}  Loader  confidential  enabled  `);
  expect(listed.stdout).toContain(`  ${web} ${local}\n`);
  expect(listed.stdout).not.toContain(secret);

  const change = ['app', 'change', partner, 'Loader', '--name', 'Lader', '--redirect-uri', local];
  expect((await operator(...change)).stdout).toBe(`App ${id} is changed.\n`);
  const disabled = await operator('app', 'disable', partner, 'Lader');
  expect(disabled.stdout).toBe(`App ${id} is disabled.\n`);
  const after = await operator('app', 'list', partner, '--json');
  expect(JSON.parse(after.stdout)).toMatchObject([
    { client_id: id, name: 'Lader', redirect_uris: [local], is_disabled: true },
  ]);
  expect((await operator('app', 'enable', partner, id)).stdout).toBe(`App ${id} is enabled.\n`);
  const replaced = await operator('app', 'secret', partner, id);
  expect(replaced.stdout).toMatch(/^client_id +app_\w+\nclient_secret +trib_client_\S+\n$/);
  expect(replaced.stdout).not.toContain(secret);
  expect((await operator('app', 'remove', partner, id)).stdout).toBe(`App ${id} is removed.\n`);
  const gone = await operator('app', 'remove', partner, id);
  expect([gone.code, gone.stderr]).toEqual([1, `tributary: no app "${id}" found\n`]);
});

test('a public app has no secret, and invalid commands are reported', async () => {
  const partner = String((await marketplace.partner()).partnerId);
  const create = ['app', 'create', partner, '--name', 'Page', '--public', '--redirect-uri', web];
  const created = await operator(...create, '--json');
  expect(JSON.parse(created.stdout)).toMatchObject({ client_secret: null });
  const refused = [
    [['app', 'secret', partner, 'Page'], 'public app has no secret'],
    [['app', 'change', partner, 'Page'], 'nothing to change'],
    [[...create, '--redirect-uri', 'http://acme.example/'], 'redirect_uris/1 must begin with http'],
    [['grant', 'list', '--user', 'ada@harbor.example'], '--customer'],
    [['grant', 'revoke', '999999'], 'No such grant'],
  ] as const;
  for (const [args, reason] of refused) {
    const { code, stderr } = await operator(...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  }
});

test('the signing keys of the authorization server are rotated', async () => {
  const resealed = await operator('secret-key', 'reseal', '--json');
  expect(JSON.parse(resealed.stdout)).toEqual({ resealed: 0 });
  const before = await operator('oauth-key', 'rotate', '--json');
  const { kid } = JSON.parse(before.stdout);
  const rotated = await operator('oauth-key', 'rotate');
  const [, next = ''] = /^kid +(\S+)\n/.exec(rotated.stdout) ?? [];
  const listed = (await operator('oauth-key', 'list')).stdout.split('\n');
  const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';
  expect(listed[1]).toMatch(new RegExp(`^${next} +${time} +-$`));
  expect(listed[2]).toMatch(new RegExp(`^${kid} +${time} +${time}$`));
});

async function admin(path: string, json: object): Promise<Record<string, string>> {
  const { call } = apiOf(marketplace.service);
  const response = await call('POST', `/admin/v1${path}`, marketplace.adminToken, json);
  return (await response.json()) as Record<string, string>;
}

test('the example app is allowed by a user, lists audiences, refreshes its tokens, and is stopped by the user and the operator', async () => {
  const partner = await marketplace.partner();
  const port = String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const { client_id = '', client_secret = '' } = await admin(
    `/partners/${partner.partnerId}/oauth-apps`,
    {
      name: 'Example app',
      kind: 'confidential',
      redirect_uris: [`${origin}/callback`],
    },
  );
  await using example = await startExampleApp({
    TRIBUTARY_URL: url,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    API_KEY: partner.apiKey,
    PORT: port,
  });
  const customer = await admin('/customers', { name: 'Harbor Coffee' });
  const user = { email: 'ada@harbor.example', password: 'correct horse one' };
  await admin(`/customers/${customer.customer_id}/users`, user);
  const { user_token = '' } = await admin(`/partners/${partner.partnerId}/user-tokens`, {
    customer_id: customer.customer_id,
  });
  await partner.call('POST', '/v2/firstparty/audience', {
    json: { name: '<b>Spring</b> & visitors', file_path: 'a.csv' },
    headers: { 'x-user-token': user_token },
  });
  await partner.call('POST', '/v2/firstparty/audience', {
    json: { name: 'Of nobody', file_path: 'a.csv' },
  });

  const visit = openCookieJar();
  const post = (address: string, json: object, headers = {}) =>
    visit(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(json),
    });
  const press = (path: string, from = origin) =>
    visit(origin + path, { method: 'POST', headers: { origin: from } });
  const page = async () => (await visit(`${origin}/`)).text();
  const signedIn = await post(`${url}/v1/console/session`, user);
  const { csrf_token } = (await signedIn.json()) as { csrf_token: string };

  /** The address to which the browser returns after the user's decision. */
  async function decide(allow: boolean): Promise<string> {
    const begun = await press('/connect');
    const asked = await visit(begun.headers.get('location')!);
    const uid = asked.headers.get('location')!.split('/').at(-1);
    const headers = { 'x-csrf-token': csrf_token };
    const decided = await post(`${url}/v1/console/authorizations/${uid}`, { allow }, headers);
    const { redirect_to } = (await decided.json()) as { redirect_to: string };
    return (await visit(redirect_to)).headers.get('location')!;
  }

  async function latestGrant(): Promise<{ expires_at: string }> {
    const { stdout } = await operator('grant', 'list', '--json');
    return JSON.parse(stdout)[0];
  }

  expect(await page()).toContain('Connect to Tributary');
  expect((await press('/connect', url)).status).toBe(403);
  const mixedUp = new URL(await decide(false));
  mixedUp.searchParams.set('state', 'of-another-browser');
  expect((await visit(mixedUp)).status).toBe(502);
  expect(await (await visit(await decide(false))).text()).toContain('You did not allow the app');

  const callback = new URL(await decide(true));
  const forged = await openCookieJar()(callback);
  expect([forged.status, await forged.text()]).toEqual([
    400,
    expect.stringContaining('No connection was started'),
  ]);
  const arrived = await visit(callback);
  expect([arrived.status, arrived.headers.get('location')]).toEqual([303, `${origin}/`]);
  expect(await page()).toContain('<td>&#60;b&#62;Spring&#60;/b&#62; &#38; visitors</td>');
  expect(await page()).not.toContain('Of nobody');
  expect((await visit(callback)).status).toBe(400);

  const narrow = ['--customer', 'Harbor Coffee', '--user', user.email];
  const listed = await operator('grant', 'list', ...narrow);
  const [, grantId = ''] =
    /^(\d+) +Example app +acme +ada@harbor\.example +Harbor Coffee /m.exec(listed.stdout) ?? [];
  const revoked = await operator('grant', 'revoke', grantId);
  expect(revoked.stdout).toBe(`Grant ${grantId} is revoked.\n`);
  expect(await page()).toContain('The connection has ended');
  expect(await page()).toContain('Connect to Tributary');

  await visit(await decide(true));
  const before = await latestGrant();
  await example.letTokensExpire();
  // If two requests sent the same refresh token, the connection would end.
  for (const each of await Promise.all([page(), page(), page()])) expect(each).toContain('Spring');
  expect(await page()).toContain('Spring');
  expect(Date.parse((await latestGrant()).expires_at)).toBeGreaterThan(
    Date.parse(before.expires_at),
  );
  expect((await press('/disconnect')).status).toBe(303);
  expect(await page()).toContain('Connect to Tributary');
  const left = await operator('grant', 'list', '--partner', String(partner.partnerId));
  expect(left.stdout).toBe('There are no grants.\n');
});
