import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { programFile } from '../support/program.ts';
import { compileCache } from './command-line.ts';
import type { Marketplace } from './marketplace/marketplace.ts';
import { test } from './marketplace/shared-marketplace.ts';
import { checkout, until } from './service.ts';

let marketplace: Marketplace;
test.beforeAll(({ shared }) => {
  marketplace = shared;
});

/** Runs the operator's command with input from a pipe. */
async function operator(args: readonly string[], piped = '') {
  const child = spawn(process.execPath, [programFile('src/cli/tributary.ts'), ...args], {
    cwd: checkout,
    env: {
      ...compileCache,
      TRIBUTARY_URL: marketplace.service.url,
      TRIBUTARY_ADMIN_TOKEN: marketplace.adminToken,
    },
  });
  // A command that reads no input may exit before the write.
  child.stdin.on('error', () => {});
  child.stdin.end(piped);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: child.exitCode, stdout, stderr };
}

async function newCustomer(name: string): Promise<string> {
  const { stdout } = await operator(['customer', 'create', name, '--json']);
  return String(JSON.parse(stdout).customer_id);
}

/** The cookie of a new session, or the status of the error. */
async function signIn(email: string, password: string): Promise<string | number> {
  const response = await fetch(`${marketplace.service.url}/v1/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = response.headers.getSetCookie()[0]?.split(';', 1)[0];
  return cookie ?? response.status;
}

async function isSignedIn(cookie: string | number): Promise<boolean> {
  const headers = { cookie: String(cookie) };
  const response = await fetch(`${marketplace.service.url}/v1/console/session`, { headers });
  return response.status === 200;
}

test('a user is created, disabled, enabled, given a new password and removed', async () => {
  const customer = await newCustomer('Saltmarsh Books');
  const ada = 'ada@saltmarsh.example';
  const created = await operator(['user', 'create', 'Saltmarsh Books', ada], 'correct horse one\n');
  expect(created.stdout).toMatch(/^user_id +\d+\nemail +ada@saltmarsh\.example\n$/);
  const first = await signIn(ada, 'correct horse one');
  expect(await isSignedIn(first)).toBe(true);
  const listed = await operator(['user', 'list', customer]);
  expect(listed.stdout).toMatch(
    /^ID +EMAIL +MAY SIGN IN [^\n]*\n\d+ +ada@saltmarsh\.example +yes /,
  );

  await operator(['user', 'disable', customer, ada]);
  expect(await isSignedIn(first)).toBe(false);
  expect(await signIn(ada, 'correct horse one')).toBe(401);
  expect((await operator(['user', 'list', customer])).stdout).toMatch(/saltmarsh\.example +no /);
  await operator(['user', 'enable', customer, ada]);
  expect(await isSignedIn(await signIn(ada, 'correct horse one'))).toBe(true);

  const changed = await operator(['user', 'set-password', customer, ada], 'correct horse two\n');
  expect([changed.code, changed.stderr]).toEqual([0, '']);
  expect(await signIn(ada, 'correct horse one')).toBe(401);
  const second = await signIn(ada, 'correct horse two');
  expect(await isSignedIn(second)).toBe(true);

  const removed = await operator(['user', 'remove', customer, ada]);
  expect(removed.stdout).toMatch(/^User \d+ is removed\.\n$/);
  expect(await isSignedIn(second)).toBe(false);
  const empty = await operator(['user', 'list', customer]);
  expect(empty.stdout).toBe('The customer has no users.\n');
});

test('a user is invited, chooses a password with the link, and is given another link', async () => {
  const customer = await newCustomer('Kelp & Co');
  const email = 'eve@kelp.example';
  const invited = await operator(['user', 'invite', 'Kelp & Co', email]);
  expect(invited.stdout).toMatch(/^user_id +\d+\n/);
  expect(invited.stdout).toMatch(/\nvalid until +\d{4}-/);
  const [, token] = /\nlink +\S+\/console\/password#(trib_link_\S+)\n/.exec(invited.stdout) ?? [];
  const body = JSON.stringify({ token, new_password: 'correct horse four' });
  const headers = { 'content-type': 'application/json' };
  const use = `${marketplace.service.url}/v1/console/password-links/use`;
  expect((await fetch(use, { method: 'POST', headers, body })).status).toBe(204);
  expect(await isSignedIn(await signIn(email, 'correct horse four'))).toBe(true);

  const reset = await operator(['user', 'password-link', customer, email, '--json']);
  expect(JSON.parse(reset.stdout)).toMatchObject({ purpose: 'reset', mailed_to: null });
  expect(JSON.parse(reset.stdout).url).not.toContain(token);
  const nobody = await operator(['user', 'password-link', customer, 'nobody@kelp.example']);
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining('has no user')]);
});

test('invalid changes of a user are reported', async () => {
  const customer = await newCustomer('Tidewater');
  const create = ['user', 'create', customer, 'bo@tide.example'];
  const none = await operator(create);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no password given')]);
  const short = await operator(create, 'too short\n');
  expect([short.code, short.stderr]).toEqual([1, expect.stringMatching(/^tributary: .*password/s)]);
  expect((await operator(create, 'long enough for it\n')).code).toBe(0);
  const taken = await operator(create, 'long enough for it\n');
  expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('already')]);
  const nobody = await operator(['user', 'disable', customer, 'nobody@tide.example']);
  expect([nobody.code, nobody.stderr]).toEqual([
    1,
    expect.stringContaining('has no user "nobody@'),
  ]);
});

test('sessions are listed and revoked', async () => {
  const customer = await newCustomer('Meridian');
  await operator(['user', 'create', customer, 'cy@meridian.example'], 'correct horse three\n');
  const cookie = await signIn('cy@meridian.example', 'correct horse three');
  const [, id = ''] =
    /^(\d+) +customer +cy@meridian\.example +127\.0\.0\.1 /m.exec(
      (await operator(['session', 'list'])).stdout,
    ) ?? [];
  expect(await isSignedIn(cookie)).toBe(true);
  const revoked = await operator(['session', 'revoke', id]);
  expect(revoked.stdout).toBe(`Session ${id} is revoked.\n`);
  expect(await isSignedIn(cookie)).toBe(false);
  expect((await operator(['session', 'list'])).stdout).not.toContain('cy@meridian.example');
  const again = await operator(['session', 'revoke', id]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('No such session')]);
});

test('a customer is disabled, enabled and removed, and the audit log and the usage say so', async () => {
  const customer = await newCustomer('Flighty Books');
  const renamed = await operator(['customer', 'update', customer, '--name', 'Fleeting Books']);
  expect(renamed.stdout).toBe(`Customer ${customer} is now Fleeting Books.\n`);
  const disabled = await operator(['customer', 'disable', customer]);
  expect(disabled.stdout).toContain('Its credentials are refused.');
  const list = async () => (await operator(['customer', 'list'])).stdout;
  expect(await list()).toMatch(/Fleeting Books .* disabled since /);
  await operator(['customer', 'enable', customer]);
  expect(await list()).toMatch(/Fleeting Books .* enabled/);
  const asked = await operator(['customer', 'remove', customer]);
  expect(asked).toMatchObject({ code: 1, stdout: '' });
  expect(asked.stderr).toContain('nothing was removed');
  const removed = await operator(['customer', 'remove', customer, '--yes']);
  expect(removed.stdout).toMatch(/Its data is being deleted; .* leave the disk by 20/);
  expect(await list()).not.toContain('Fleeting Books');

  const target = `/admin/v1/customers/${customer}`;
  const audit = await operator(['audit', '--changes', '--actor', 'operator']);
  expect(audit.stdout).toMatch(new RegExp(`operator .*DELETE .* ${target} +202`));
  const lines = await operator([
    'audit',
    '--jsonl',
    '--action',
    'PATCH /admin/v1/customers/:customer_id',
  ]);
  const entry = lines.stdout.split('\n').map((line) => (line === '' ? null : JSON.parse(line)));
  expect(entry.find((each) => each?.target === target)).toMatchObject({
    before: { disabled: true },
    after: { disabled: false },
  });
  const unlimited = await operator(['partner', 'update', '1', '--row-quota', 'none']);
  expect(unlimited.stdout).toMatch(/rows per month +none/);
  const usage = await operator(['usage']);
  expect(usage.stdout).toMatch(/^month,partner_id,partner_name,requests,rows,/);
});

test('devices are looked up, erased and kept out', async () => {
  const partner = await marketplace.partner('k');
  const [held, other] = [randomUUID(), randomUUID()];
  const file = `${held},k\n${other},k\n`;
  expect((await partner.importedFile(file)).status).toBe(2);
  const access = await operator(['privacy', 'access', held.toUpperCase(), '--reference', 'case 1']);
  expect([access.code, access.stderr.replaceAll(/request \d+: received\n/g, '')]).toEqual([0, '']);
  expect(access.stdout).toMatch(/found +1\n/);
  expect(access.stdout).toMatch(/^1 +attribute +\d+ +k +acme +\d{4}-/m);

  const list = `# of a case\n${held}\n\n${createHash('sha256').update('none').digest('base64')}\n`;
  const erased = await operator(['privacy', 'erase', '--file', '-', '--json'], list);
  const { request_id, identifiers } = JSON.parse(erased.stdout);
  expect(identifiers).toBe(2);
  await until('the device to be removed', async () => (await partner.counts()).k === 1);
  const shown = await operator(['privacy', 'requests', String(request_id)]);
  expect(shown.stdout).toMatch(/kind +erase\n/);
  expect(shown.stdout).toMatch(
    /raw files +may hold the devices: the uploads of [\d,]+ partners? are kept for good/,
  );
  expect(shown.stdout).not.toContain(held);
  const again = await partner.importedFile(file);
  expect(again).toMatchObject({ status: 2, unique_devices: '1' });
  expect(again.errors).toMatchObject([{ code: 'suppressed_id', count: 1, value: null }]);
  expect(await partner.counts()).toEqual({ k: 1 });
  const listed = await operator(['privacy', 'requests', '--reference', 'case 1']);
  expect(listed.stdout).toMatch(/^\d+ +access +done +case 1 +1 +1 /m);
  const none = await operator(['privacy', 'opt-out']);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('--file')]);
});

test('a partner is renamed, and the retention of its uploads is set', async () => {
  const { partnerId } = await marketplace.partner();
  const named = await operator(['partner', 'update', String(partnerId), '--name', 'Renamed']);
  expect(named.stdout).toMatch(/^name +Renamed\n/);
  expect((await operator(['partner', 'list'])).stdout).toMatch(
    new RegExp(`^ *${partnerId} +Renamed `, 'm'),
  );
  const update = (value: string) =>
    operator(['partner', 'update', String(partnerId), '--upload-retention', value]);
  expect((await update('30d')).stdout).toMatch(/uploads kept +30 days after they were last loaded/);
  for (const value of ['off', 'default']) {
    expect((await update(value)).stdout).toMatch(/uploads kept +for good/);
  }
  const wrong = await update('never');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('such as 30d, off')]);
});
