import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unusedSchema } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { apiOf, deviceFile } from './api.ts';
import { makeNextVersion, nextVersion } from './next-version.ts';
import { launch, launchRole, type RoleApart, startRole } from './role-apart.ts';
import { checkout, temporaryFolder, until } from './service.ts';

const adminToken = randomBytes(32).toString('hex');
const machines = ['first', 'second'];

let running: AsyncDisposableStack;
let settings: Record<string, string>;
let folder: string;
let urls: string[];
let apis: RoleApart[];
let workers: RoleApart[];

/** Starts two processes of each role at once, on an empty database. */
beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  folder = starting.use(await temporaryFolder()).path;
  const { url, schema } = starting.use(unusedSchema());
  settings = {
    DATABASE_URL: url,
    TRIBUTARY_DATABASE_SCHEMA: schema,
    TRIBUTARY_DATA_DIR: join(folder, 'data'),
    TRIBUTARY_SECRET_KEY: randomBytes(32).toString('hex'),
    TRIBUTARY_ADMIN_TOKEN: adminToken,
  };
  const ports = await Promise.all(machines.map(async () => [await freePort(), await freePort()]));
  urls = ports.map(([port]) => `http://127.0.0.1:${port}`);
  const serving = ports.map(([port, s3Port]) =>
    startRole(['api'], {
      ...settings,
      TRIBUTARY_PORT: String(port),
      TRIBUTARY_S3_PORT: String(s3Port),
    }),
  );
  const working = machines.map(() => startRole(['worker', '--concurrency', '1'], settings));
  workers = await Promise.all(working);
  apis = await Promise.all(serving);
  for (const role of [...apis, ...workers]) starting.use(role);
  running = starting.move();
});

afterAll(() => running?.disposeAsync());

test('processes start concurrently on an empty database and share their work', async () => {
  const [one, other] = urls.map((url) => apiOf({ url }));
  const { partner_id, apiKey } = await one!.createPartner(adminToken, 'acme');
  await other!.createAttribute(apiKey, { name: 'K', partner_foreign_key: 'k' });
  await one!.putObject(adminToken, partner_id, 'one.csv', deviceFile(1_000, 'k'));
  const { import_log_id } = await other!.queueImport(apiKey, 'one.csv', 1);
  expect(await one!.ended(apiKey, import_log_id)).toMatchObject({
    status: 2,
    unique_devices: '1000',
  });
});

test('a job that lost two workers runs in a process of its own', async () => {
  const api = apiOf({ url: urls[0]! });
  const { partner_id, apiKey } = await api.createPartner(adminToken, 'green');
  await api.createAttribute(apiKey, { name: 'K', partner_foreign_key: 'k' });
  await api.putObject(adminToken, partner_id, 'one.csv', deviceFile(10, 'k'));
  const import_log_id = await queueWithTwoLosses(partner_id, apiKey);
  expect(await api.ended(apiKey, import_log_id, 60_000)).toMatchObject({ status: 2 });
  const started = workers
    .flatMap((worker) => worker.logged().split('\n'))
    .filter((line) => line.includes(`"job":${import_log_id},`) && line.includes('job started'));
  expect(started.map((line) => JSON.parse(line).role)).toEqual(['isolated-worker']);
  await until('the process to end', async () =>
    workers.some((worker) => worker.logged().includes('isolated worker ended')),
  );
});

async function queueWithTwoLosses(partnerId: number, apiKey: string): Promise<number> {
  const client = new pg.Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  try {
    await client.query(`set search_path to ${settings.TRIBUTARY_DATABASE_SCHEMA}`);
    // While the lane is locked, no worker claims its job.
    await client.query('begin');
    await client.query('select from lane where partner_id = $1 for no key update', [partnerId]);
    const { import_log_id } = await apiOf({ url: urls[0]! }).queueImport(apiKey, 'one.csv', 1);
    await client.query('update job set losses = 2 where job_id = $1', [import_log_id]);
    await client.query('commit');
    return import_log_id;
  } finally {
    await client.end();
  }
}

describe('a process is refused with one clear line', () => {
  async function refusal(more: Readonly<Record<string, string>>, command = ['worker']) {
    const role = launchRole(command, { ...settings, ...more });
    expect(await role.exited).toBe(1);
    expect(role.logged()).toMatch(/^tributary: .+\n$/);
    return role.logged();
  }

  test.each(['DATABASE_URL', 'TRIBUTARY_SECRET_KEY', 'TRIBUTARY_ADMIN_TOKEN'])(
    'without %s, which every process needs',
    async (name) => {
      expect(await refusal({ [name]: '' })).toContain(`${name} must be set to run a single role`);
    },
  );

  test('with a different secret key', async () => {
    const line = await refusal({ TRIBUTARY_SECRET_KEY: 'f'.repeat(64) });
    expect(line).toContain('encrypted with a key that is not in TRIBUTARY_SECRET_KEY');
  });

  test("with another service's data dir", async () => {
    await using other = unusedSchema();
    const line = await refusal({ TRIBUTARY_DATABASE_SCHEMA: other.schema });
    expect(line).toContain('belongs to another service than the database');
  });

  test('with an empty data dir of its own', async () => {
    const dataDir = join(folder, 'own');
    const line = await refusal({ TRIBUTARY_DATA_DIR: dataDir });
    expect(line).toContain(
      `TRIBUTARY_DATA_DIR ${dataDir} is not the folder with the device sets of this service, which was ${settings.TRIBUTARY_DATA_DIR} when`,
    );
    const inClickhouse = { TRIBUTARY_DATA_DIR: dataDir, TRIBUTARY_WAREHOUSE: 'clickhouse://a' };
    expect(await refusal(inClickhouse, ['api'])).toContain(
      `TRIBUTARY_WAREHOUSE must not be set: the device sets of this service are files in ${settings.TRIBUTARY_DATA_DIR}.`,
    );
  });

  test('with an invalid concurrency', async () => {
    const line = await refusal({}, ['worker', '--concurrency', 'many']);
    expect(line).toContain('TRIBUTARY_WORKER_CONCURRENCY must be a whole number from 1 to 100');
  });
});

test('Ctrl-C stops a role cleanly', async () => {
  const role = await startRole(['worker'], { ...settings, TRIBUTARY_LANES: '2' });
  expect(role.logged()).toContain('"setting":"TRIBUTARY_LANES","msg":"unknown setting ignored"');
  role.signal('SIGINT');
  expect(await role.exited).toBe(0);
  await until('the role to stop', async () => role.logged().includes('"stopped"'));
});

test('a role stops when the npx that started it is stopped', async () => {
  const worker = [process.execPath, 'src/cli/tributary.ts', 'worker'];
  // Like npx: a shell in between, which ends at a signal without passing it on.
  const between = launch(['sh', '-c', '"$@"; exit', 'sh', ...worker], {
    ...settings,
    npm_lifecycle_event: 'npx',
  });
  await until('the role to be ready', async () => between.logged().includes('"ready"'));
  between.signal('SIGTERM');
  await until('the role to stop', async () => between.logged().includes('"stopped"'));
  await between.exited;
});

test('a role whose supervisor is killed before it is ready stops without an exception', async () => {
  const supervisor = `
    const { fork } = require('node:child_process');
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'];
    const role = fork('src/process/main.ts', ['worker'], { stdio });
    process.stdout.write(String(role.pid));
  `;
  const killed = spawn(process.execPath, ['--eval', supervisor], {
    cwd: checkout,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Ends with the role.
  const logged = text(killed.stderr);
  const [role] = await once(killed.stdout.setEncoding('utf8'), 'data');
  // Node itself has started by then. Loading the modules takes several times as long.
  while ((await cpuSeconds(role)) < 0.2) await sleep(5);
  killed.kill('SIGKILL');
  expect(await logged).not.toContain('ERR_IPC_CHANNEL_CLOSED');
});

/** What a process has used so far. The kernel counts hundredths of a second. */
async function cpuSeconds(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  return (Number(user) + Number(system)) / 100;
}

/** Last, because the processes of this version do not start again after it. */
test('a rolling upgrade to a later version loses nothing, and there is no way back', async () => {
  const code = await makeNextVersion(folder);
  let url = urls[0]!;
  const api = { now: () => apiOf({ url }) };
  const partners = await Promise.all(
    ['red', 'blue'].map(async (name) => {
      const { partner_id, apiKey } = await api.now().createPartner(adminToken, name);
      await api.now().createAttribute(apiKey, { name: 'K', partner_foreign_key: 'k' });
      return { partner_id, apiKey, ids: [] as number[] };
    }),
  );
  /** Queues imports, each with a hundred new devices. A process that stops may not answer. */
  async function load({ partner_id, apiKey, ids }: (typeof partners)[number]): Promise<void> {
    for (let i = 0; i < importsPerStep; i++) {
      const file = `${ids.length}.csv`;
      const content = deviceFile(100, 'k', ids.length * 100 + 1);
      // A file can be uploaded again, but an import must not be queued twice.
      await until(`${file} to be uploaded`, async () =>
        api.now().putObject(adminToken, partner_id, file, content).then(isDone, isFailed),
      );
      const key = `${partner_id}-${ids.length}`;
      ids.push(await until(`${file} to be queued`, () => queueOnce(url, apiKey, file, key)));
    }
  }

  /** A fixed number of imports: as many as there is time for would make a slow machine slower. */
  async function whileLoading<T>(step: () => Promise<T>): Promise<T> {
    const [, result] = await Promise.all([Promise.all(partners.map(load)), step()]);
    return result;
  }

  for (const old of workers) {
    const worker = ['worker', '--concurrency', '1'];
    running.use(await whileLoading(() => startRole(worker, settings, code)));
    await whileLoading(() => stop(old));
  }
  const [port, s3Port] = [await freePort(), await freePort()];
  const ports = { TRIBUTARY_PORT: String(port), TRIBUTARY_S3_PORT: String(s3Port) };
  running.use(await startRole(['api'], { ...settings, ...ports }, code));
  await whileLoading(async () => {
    url = `http://127.0.0.1:${port}`;
    for (const old of apis) await stop(old);
  });
  await whileLoading(async () => {});

  for (const { apiKey, ids } of partners) {
    for (const id of ids) {
      expect(await api.now().ended(apiKey, id, 60_000)).toMatchObject({ status: 2, errors: null });
    }
    const [attribute] = await api.now().attributes(apiKey);
    expect(attribute?.unique_devices).toBe(ids.length * 100);
  }
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ version: nextVersion });

  const refused = launchRole(['worker'], settings);
  expect(await refused.exited).toBe(1);
  expect(refused.logged()).toMatch(
    /^tributary: TRIBUTARY_DATA_DIR .* was used by Tributary 99.0.0.*\n$/,
  );
  const elsewhere = { ...settings, TRIBUTARY_DATA_DIR: join(folder, 'elsewhere') };
  const newerDatabase = launchRole(['worker'], elsewhere);
  expect(await newerDatabase.exited).toBe(1);
  expect(newerDatabase.logged()).toMatch(/^tributary: The database was upgraded by a newer .*\n$/);
});

const importsPerStep = 3;

async function stop(role: RoleApart): Promise<void> {
  role.signal('SIGTERM');
  expect(await role.exited).toBe(0);
}

const isDone = () => true;
const isFailed = () => false;

/** The id of the import, or undefined if the process did not answer. The key prevents a second one. */
async function queueOnce(url: string, apiKey: string, file: string, key: string) {
  const answer = await fetch(`${url}/v1/marketplace/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify({ file_path: file, key_type: 1 }),
  }).catch(() => undefined);
  if (answer?.status !== 202) return undefined;
  return ((await answer.json()) as { import_log_id: number }).import_log_id;
}
