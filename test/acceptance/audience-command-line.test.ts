import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tributary } from './command-line.ts';
import { type Marketplace, rows, startMarketplace } from './marketplace/marketplace.ts';
import { checkout } from './service.ts';

let marketplace: Marketplace;
beforeAll(async () => {
  marketplace = await startMarketplace();
});
afterAll(() => marketplace?.[Symbol.asyncDispose]());

async function partnerWith(...foreignKeys: string[]) {
  const partner = await marketplace.partner(...foreignKeys);
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    tributary(marketplace.service, args, { TRIBUTARY_API_KEY: partner.apiKey, ...env });
  return { ...partner, run };
}

function operator(...args: string[]) {
  return tributary(marketplace.service, args, { TRIBUTARY_ADMIN_TOKEN: marketplace.adminToken });
}

function example(name: string): Promise<Buffer> {
  return readFile(join(checkout, 'examples', name));
}

test('the audience of the README, from its first file to its composition', async () => {
  const partner = await partnerWith('example', 'coffee');
  for (const name of ['devices.csv', 'coffee.csv']) {
    await partner.upload(name, await example(name));
    expect((await partner.imported(name)).status).toBe(2);
  }
  await partner.upload('harbor/spring/week-1.csv', await example('audience/week-1.csv'));
  const create = ['audience', 'create', 'Spring visitors', 'harbor/spring/'];
  const queued = await partner.run(create);
  const [, id = ''] =
    /^Created audience (\d+): tributary audience show \1 --watch\n$/.exec(queued.stdout) ?? [];
  const shown = await partner.run(['audience', 'show', id, '--watch']);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toMatch(
    /status +done\nuploaded devices +550\nunique devices +460\nmatched devices +360\n/,
  );
  expect(shown.stdout).toMatch(/week-1\.csv +done +550 /);

  await partner.upload('harbor/spring/week-2.csv', await example('audience/week-2.csv'));
  const append = ['audience', 'append', id, 'harbor/spring/', '--watch', '--json'];
  const appended = await partner.run(append);
  expect(appended.code).toBe(0);
  expect(JSON.parse(appended.stdout)).toMatchObject({
    name: 'Spring visitors',
    uploaded_devices: 800,
    unique_devices: 660,
    matched_devices: 560,
  });
  expect((await partner.run(['audience', 'list'])).stdout).toMatch(
    new RegExp(`^ID +NAME [^\n]*\n${id} +Spring visitors +done +800 +660 +560 `),
  );

  const table = await partner.run(['audience', 'composition', id]);
  const [coffee = '', first = ''] = table.stdout
    .split('\n')
    .filter((line) => /(coffee|example)/.test(line));
  expect(coffee).toMatch(
    /^ *127\.7 +[\d.]+–[\d.]+ +[\d.]+ +<0\.001 +260 +46\.43 % +36\.36 % +coffee$/,
  );
  expect(first).toMatch(
    /^ *98\.2 +[\d.]+–[\d.]+ +-[\d.]+ +[\d.<]+ +500 +89\.29 % +90\.91 % +example$/,
  );
  expect(table.stdout).toMatch(/\nEVENT +DEVICES +SHARE\n/);
  const csv = await partner.run(['audience', 'composition', id, '--csv']);
  expect(csv.stdout).toMatch(/^attribute_id,name,partner_id,audience_devices,/);
  const json = await partner.run(['audience', 'composition', id, '--json']);
  expect(JSON.parse(json.stdout).matched_devices).toBe(560);

  const cleared = await partner.run(['audience', 'clear', id]);
  expect([cleared.code, cleared.stdout]).toEqual([0, `Cleared audience ${id}.\n`]);
  const empty = await partner.run(['audience', 'show', id]);
  expect(empty.stdout).toMatch(/unique devices +0\n[\s\S]*It has no files\.\n$/);
  const cleared_at = /status +cleared \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n/;
  expect(empty.stdout).toMatch(cleared_at);
  expect((await partner.run(['audience', 'list'])).stdout).toMatch(/ +cleared \d{4}-/);
  // The load before the clear still has its rows.
  const loads = (await partner.run(['logs'])).stdout.split('\n').slice(1, 3);
  expect(loads).toEqual([
    expect.stringMatching(
      /^\d+ +audience load +done +Spring visitors, from \S+\/spring\/ +250 +- /,
    ),
    expect.stringMatching(
      /^\d+ +audience load +done +Spring visitors, from \S+\/spring\/ +550 +- /,
    ),
  ]);
  const [, load = ''] = /^(\d+) /.exec(loads[0] ?? '') ?? [];
  const watched = await partner.run(['logs', '--watch', load]);
  expect([watched.code, watched.stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`audience +${id} \\(Spring visitors\\)`)),
  ]);
  const history = (await partner.run(['audience', 'history', id])).stdout.split('\n');
  expect(history[1]).toMatch(/ clear +0 +0 +- +-$/);
  expect(history[2]).toMatch(/ append +660 +560 +84\.8% +example \(500\), coffee \(260\)$/);
});

test('with --watch a failed audience gives exit code 1 and the reason', async () => {
  const partner = await partnerWith();
  await partner.upload('a/bad.csv', 'one,two,three\n');
  await partner.upload('a/good.csv', rows(1, 60, 'seen'));
  const create = ['audience', 'create', 'Mixed', 'a/', '--watch'];
  const { code, stdout, stderr } = await partner.run(create);
  expect(code).toBe(1);
  expect(stdout).toMatch(/status +failed\n[\s\S]*unique devices +60\n/);
  expect(stdout).toContain(`wrong_columns  ${partner.storage.prefix}a/bad.csv  line 1`);
  expect(stderr).not.toContain('tributary:');
  const unknown = await partner.run(['audience', 'show', '999999', '--watch']);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('No such audience')]);
});

test('the operator creates customers and user tokens, and a partner acts for a customer', async () => {
  const partner = await partnerWith();
  const id = String(partner.partnerId);
  const created = await operator('customer', 'create', 'Harbor Coffee', '--json');
  const customer = String(JSON.parse(created.stdout).customer_id);
  expect((await operator('customer', 'list')).stdout).toMatch(
    new RegExp(`^ID +NAME +CREATED +ACCESS\n${customer} +Harbor Coffee `, 'm'),
  );
  const token = await operator('user-token', 'create', id, 'Harbor Coffee', '--expires-in', '600');
  const [, userToken = ''] = /^user_token +(trib_user_\S+)\n/.exec(token.stdout) ?? [];
  const env = { TRIBUTARY_USER_TOKEN: userToken };
  await partner.run(['audience', 'create', 'Own', 'x.csv']);
  await partner.run(['audience', 'create', "Harbor's", 'x.csv'], env);
  const names = async (...args: Parameters<typeof partner.run>) =>
    JSON.parse((await partner.run(...args)).stdout).map((each: { name: string }) => each.name);
  expect(await names(['audience', 'list', '--json'], env)).toEqual(["Harbor's"]);
  expect(await names(['audience', 'list', '--json'])).toEqual(['Own', "Harbor's"]);

  const listed = await operator('user-token', 'list', id, '--json');
  const [{ user_token_id, customer_id }] = JSON.parse(listed.stdout);
  expect(String(customer_id)).toBe(customer);
  await operator('user-token', 'revoke', id, String(user_token_id));
  const refused = await partner.run(['audience', 'list'], env);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('x-user-token')]);
});

test('the operator lists, disables and enables webhooks', async () => {
  const partner = await partnerWith();
  const json = { url: 'https://acme.example/hook?token=hidden', events: ['import.failed'] };
  const { body } = await partner.call('POST', '/v1/webhooks', { json });
  const id = String(body.webhook_id);
  const row = new RegExp(`^${id} .+ https://acme\\.example/hook\\?… +import\\.failed +0\\b`, 'm');
  expect((await operator('webhook', 'list')).stdout).toMatch(row);
  const disabled = await operator('webhook', 'disable', id);
  expect([disabled.code, disabled.stdout]).toEqual([0, `Webhook ${id} is disabled.\n`]);
  const listed = await operator('webhook', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ disabled_by: 'operator' }]);
  const enabled = await operator('webhook', 'enable', id);
  expect([enabled.code, enabled.stdout]).toEqual([0, `Webhook ${id} is enabled.\n`]);
  const shown = await partner.call('GET', `/v1/webhooks/${id}`);
  expect(shown.body.disabled_by).toBeNull();
});

test('the error names an unknown audience or customer and an invalid lifetime', async () => {
  const partner = await partnerWith();
  const none = await partner.run(['audience', 'composition', '999999999']);
  expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/^tributary: .+\n$/)]);
  const nobody = await operator('user-token', 'create', String(partner.partnerId), 'nobody');
  expect([nobody.code, nobody.stderr]).toEqual([
    1,
    expect.stringContaining('no customer "nobody" found'),
  ]);
  const soon = ['user-token', 'create', String(partner.partnerId), 'x', '--expires-in', 'soon'];
  const refused = await operator(...soon);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('seconds')]);
});
