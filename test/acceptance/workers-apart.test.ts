import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SlowStorage, startSlowStorage } from '../browser/support/slow-storage.ts';
import { unusedSchema } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { apiOf, deviceFile } from './api.ts';
import { type RoleApart, startRole } from './role-apart.ts';
import { temporaryFolder } from './service.ts';

const adminToken = randomBytes(32).toString('hex');
const region = 'us-east-1';
/**
 * At this rate a file takes a second to download. Loading it takes a few hundredths. The files are too
 * large for small jobs, of which one worker runs several at once.
 */
const bytesPerSecond = 800_000;
const devicesOfFiles = [20_000, 19_999];

let running: AsyncDisposableStack;
let settings: Record<string, string>;
let storage: SlowStorage;
let api: ReturnType<typeof apiOf>;
let lanes: Lane[];
const workers: RoleApart[] = [];

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const { path } = starting.use(await temporaryFolder());
  const { url, schema } = starting.use(unusedSchema());
  storage = starting.use(await startSlowStorage());
  const [port, s3Port] = [await freePort(), await freePort()];
  storage.setTarget(`http://127.0.0.1:${s3Port}`);
  settings = {
    DATABASE_URL: url,
    TRIBUTARY_DATABASE_SCHEMA: schema,
    TRIBUTARY_DATA_DIR: join(path, 'data'),
    TRIBUTARY_SECRET_KEY: randomBytes(32).toString('hex'),
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    TRIBUTARY_PORT: String(port),
    TRIBUTARY_S3_PORT: String(s3Port),
    TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify({ [region]: storage.endpoint }),
  };
  starting.use(await startRole(['api'], settings));
  api = apiOf({ url: `http://127.0.0.1:${port}` });
  lanes = await Promise.all(['red', 'blue', 'green', 'grey'].map(prepareLane));
  running = starting.move();
});

afterAll(() => running?.disposeAsync());

type Lane = Awaited<ReturnType<typeof prepareLane>>;

async function prepareLane(name: string) {
  const { partner_id, apiKey } = await api.createPartner(adminToken, name);
  await api.createAttribute(apiKey, { name: 'K', partner_foreign_key: 'k' });
  for (const [file, devices] of devicesOfFiles.entries()) {
    await api.putObject(adminToken, partner_id, `${file}.csv`, deviceFile(devices, 'k'));
  }
  const { bucket, prefix, accessKeyId, secretAccessKey } = await api.createStorageCredentials(
    adminToken,
    partner_id,
  );
  const more = {
    path_type: 1,
    mode: 'replace',
    credentials: { accessKeyId, secretAccessKey, region },
  };
  return { apiKey, partnerId: partner_id, more, source: `s3://${bucket}/${prefix}` };
}

/** Runs a first job on each worker, so the time to load and compile the code is not measured. */
async function startWorkers(count: number): Promise<void> {
  const started = Array.from({ length: count }, () =>
    startRole(['worker', '--concurrency', '1'], settings),
  );
  for (const worker of await Promise.all(started)) workers.push(running.use(worker));
  storage.limitRate(4 * bytesPerSecond);
  await work(lanes.slice(0, workers.length));
  storage.limitRate(bytesPerSecond);
}

/** Queues every file in each lane, in order, and waits until all are loaded. */
async function work(some: readonly Lane[]): Promise<number[][]> {
  return await Promise.all(
    some.map(async ({ apiKey, more, source }) => {
      const ids: number[] = [];
      for (const file of devicesOfFiles.keys()) {
        const queued = await api.queueImport(apiKey, `${source}${file}.csv`, 1, more);
        ids.push(queued.import_log_id);
      }
      for (const id of ids) {
        expect(await api.ended(apiKey, id, 60_000)).toMatchObject({ status: 2, errors: null });
      }
      return ids;
    }),
  );
}

async function secondsFor(some: readonly Lane[]): Promise<number> {
  const before = performance.now();
  await work(some);
  return (performance.now() - before) / 1_000;
}

test('two workers need at most 0.6 of the time of one worker for two lanes', async () => {
  const two = lanes.slice(0, 2);
  await startWorkers(1);
  const alone = await secondsFor(two);
  await startWorkers(1);
  let together = await secondsFor(two);
  // Other programs may have delayed it.
  for (let again = 0; again < 2 && together > 0.6 * alone; again++) {
    together = Math.min(together, await secondsFor(two));
  }
  expect(together / alone).toBeLessThanOrEqual(0.6);
});

test('workers read the files of one large job together', async () => {
  await startWorkers(2);
  const [{ apiKey, more, source, partnerId }] = lanes as [Lane];
  // Mostly blank lines, which cost little. Jobs of 32 MiB are shared.
  const blank = Buffer.alloc(17 << 20, '\n');
  for (const [file, devices] of [300, 200].entries()) {
    const content = Buffer.concat([Buffer.from(deviceFile(devices, 'k')), blank]);
    await api.putObject(adminToken, partnerId, `large/${file}.csv`, content);
  }
  // Slow enough that another worker has the time to take a file.
  storage.limitRate(blank.length);
  const isShared = (id: number) =>
    workers.some((worker) =>
      worker
        .logged()
        .split('\n')
        .some((line) => line.includes('parts read for') && line.includes(`"job":${id},`)),
    );
  const ids: number[] = [];
  // Other programs may have delayed the other workers.
  for (let again = 0; again < 3 && !ids.some(isShared); again++) {
    const { import_log_id: id } = await api.queueImport(apiKey, `${source}large/`, 1, more);
    expect(await api.ended(apiKey, id, 60_000)).toMatchObject({ status: 2, total_rows: '500' });
    ids.push(id);
  }
  expect(ids.some(isShared)).toBe(true);
  const [attribute] = await api.attributes(apiKey);
  expect(attribute?.unique_devices).toBe(300);
});

test('four workers keep the order of four lanes', async () => {
  const jobs = await work(lanes);
  const lines = workers
    .flatMap((worker) => worker.logged().split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { msg: string; job?: number; time: string });
  for (const [i, ids] of jobs.entries()) {
    const { apiKey } = lanes[i]!;
    const moments: number[] = [];
    for (const id of ids) {
      const starts = lines.filter(({ job, msg }) => job === id && msg === 'job started');
      // Twice if it was first tried as a small job.
      expect(starts.length).toBeGreaterThan(0);
      const { updated_at } = await api.importLog(apiKey, id);
      const started = starts.map(({ time }) => Date.parse(time)).toSorted((a, b) => a - b);
      moments.push(...started, Date.parse(updated_at));
    }
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    const [attribute] = await api.attributes(apiKey);
    expect(attribute?.unique_devices).toBe(devicesOfFiles.at(-1));
  }
});
