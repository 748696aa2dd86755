import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { startOutsidePostgres } from '../../support/outside-postgres.ts';
import { copyDatabase } from './database-copy.ts';
import { packRelease } from './release.ts';

/**
 * Loads a little of everything with this version and packs the data, for the test that later versions
 * can use it: `node test/acceptance/upgrade/make-release.ts`. CONTRIBUTING.md says when.
 */
const schema = 'tributary';
const header = 'id,attribute_ids\n';
const checkout = resolve(import.meta.dirname, '../../..');
const command = join(checkout, 'bin/tributary');
const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));

await using postgres = await startOutsidePostgres();
const home = await mkdtemp(join(tmpdir(), 'tributary-release-'));
const [port, s3Port] = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${port}`;
const secretKey = randomBytes(32).toString('hex');
const adminToken = randomBytes(32).toString('hex');
const env = {
  ...process.env,
  DATABASE_URL: postgres.url,
  TRIBUTARY_DATABASE_SCHEMA: schema,
  TRIBUTARY_DATA_DIR: join(home, 'data'),
  TRIBUTARY_SECRET_KEY: secretKey,
  TRIBUTARY_ADMIN_TOKEN: adminToken,
  TRIBUTARY_PORT: String(port),
  TRIBUTARY_S3_PORT: String(s3Port),
  TRIBUTARY_LOG_LEVEL: 'warn',
  // Also writes profiles of small runs.
  TRIBUTARY_PROFILE_MIN: '2',
};

try {
  const api = launch('api');
  const worker = launch('worker');
  await until('the API', async () => (await fetch(`${url}/readyz`)).ok);

  const acme = await partner('acme');
  const keys = await post(`/admin/v1/partners/${acme.id}/storage-credentials`, adminToken, {});
  for (const [name, key] of [
    ['Food > Coffee', 'coffee'],
    ['Food > Tea', 'tea'],
    ['Food > Water', 'water'],
  ]) {
    const attribute = { name, description: `Likes ${key}`, partner_foreign_key: key };
    await post('/v1/marketplace/attribute', acme.key, attribute);
  }
  await acme.put('first.csv', `${header}${rows(1, 3_000, 'coffee|tea')}`);
  await acme.put('second.csv', `${header}${rows(2_001, 4_000, 'tea')}not-a-device,tea\n`);
  await acme.put('third.csv', `${header}${rows(1, 500, 'water')}`);
  await acme.ended(await acme.import('first.csv'));
  await acme.ended(await acme.import('second.csv'));
  await acme.ended(await acme.import('third.csv'));
  await acme.ended(await acme.import('missing.csv'));
  const water = { keys: ['water'], key_type: 1 };
  const deletion = await call('DELETE', '/v1/marketplace/import', acme.key, water);
  await acme.ended(Number(deletion.import_log_id));

  const { customer_id } = await post('/admin/v1/customers', adminToken, { name: 'Harbor Coffee' });
  const user = { email: 'ada@harbor.example', password: 'correct horse battery staple' };
  await post(`/admin/v1/customers/${customer_id}/users`, adminToken, user);
  await acme.put('spring/week-1.csv', `id,event\n${rows(1_001, 2_500, 'visit')}`);
  const audience = await post('/v2/firstparty/audience', acme.key, {
    name: 'Spring visitors',
    file_path: 'spring/',
  });
  const audiencePath = `/v2/firstparty/audience/${audience.audience_id}`;
  await until('the audience', async () => (await get(audiencePath, acme.key)).status >= 2);
  await until('the report', async () => {
    const { universe } = await get('/admin/v1/status', adminToken);
    return universe.backlog === 0 && universe.outdated_audiences === 0;
  });
  const other = await partner('brightwater');
  const milk = { name: 'Milk', description: '', partner_foreign_key: 'milk' };
  await post('/v1/marketplace/attribute', other.key, milk);

  const paths = [
    '/v1/marketplace/attribute',
    '/v1/marketplace/import',
    '/v2/firstparty/audience',
    audiencePath,
    `${audiencePath}/composition`,
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) answers[path] = await get(path, acme.key);

  // Without a worker, this job stays pending. It will change nothing, so that the answers stay the same.
  await stop(worker);
  await other.put('later.csv', `${header}${rows(1, 1_500, 'milk')}`);
  const importLogId = await other.import('later.csv', { dry_run: true });
  await stop(api);

  const storage = {
    bucket: String(keys.bucket),
    key: `${keys.prefix}first.csv`,
    accessKeyId: String(keys.accessKeyId),
    secretAccessKey: String(keys.secretAccessKey),
  };
  const archive = await packRelease(
    version,
    {
      secretKey,
      adminToken,
      apiKey: acme.key,
      storage,
      user,
      pending: { apiKey: other.key, importLogId },
      answers,
      database: await copyDatabase(postgres.url, schema),
    },
    home,
  );
  process.stdout.write(`${archive}\n`);
} finally {
  await rm(home, { recursive: true, force: true });
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function call(method: string, path: string, token: string, json?: unknown): Promise<any> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.json();
}

function get(path: string, token: string) {
  return call('GET', path, token);
}

function post(path: string, token: string, json: unknown) {
  return call('POST', path, token, json);
}

async function partner(name: string) {
  const { partner_id: id } = await post('/admin/v1/partners', adminToken, { name });
  const { api_key: key } = await post(`/admin/v1/partners/${id}/api-keys`, adminToken, {});
  return {
    id,
    key,
    async put(path: string, content: string): Promise<void> {
      const at = `/admin/v1/partners/${id}/objects/${encodeURIComponent(path)}`;
      const headers = { authorization: `Bearer ${adminToken}` };
      const response = await fetch(url + at, { method: 'PUT', headers, body: content });
      if (!response.ok) throw new Error(await response.text());
    },
    async import(path: string, more = {}): Promise<number> {
      const body = { file_path: path, key_type: 1, ...more };
      return (await post('/v1/marketplace/import', key, body)).import_log_id;
    },
    ended: (id: number) =>
      until(
        `import ${id}`,
        async () => (await get(`/v1/marketplace/import/${id}`, key)).status >= 2,
      ),
  };
}

function rows(first: number, last: number, value: string): string {
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const device = (first + index).toString(16).padStart(12, '0');
    return `00000000-0000-4000-8000-${device},${value}\n`;
  }).join('');
}

function launch(role: string): ChildProcess {
  return spawn(command, [role], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await look().catch(() => false)) return;
    await sleep(100);
  }
  throw new Error(`timeout waiting for ${what}`);
}
