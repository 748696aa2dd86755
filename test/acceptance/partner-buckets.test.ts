import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { adminTokenOf, apiOf, deviceFile, type StorageCredentials } from './api.ts';
import {
  type Service,
  type ServiceOptions,
  startService,
  temporaryFolder,
  until,
} from './service.ts';

const bucket = 'partners-own';
const region = 'us-east-1';
const otherRegion = 'eu-west-1';
/** No store answers there. */
const deadRegion = 'eu-west-2';

let running: AsyncDisposableStack;
/** The store of the partner bucket: the S3 endpoint of another service. */
let store: Service;
let storeOptions: ServiceOptions;
let owner: StorageCredentials;
let service: Service;
let api: ReturnType<typeof apiOf>;
let apiKey: string;
/** An import that takes long, in a lane of its own, so it is queued first. */
let hopeless: { apiKey: string; importLogId: number };

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(await temporaryFolder());
  storeOptions = {
    dataDir: join(folder.path, 'store'),
    port: await freePort(),
    s3Port: await freePort(),
    env: { TRIBUTARY_BUCKET: bucket },
  };
  store = await startService(storeOptions);
  // The current instance, because tests stop and restart it.
  starting.defer(() => store[Symbol.asyncDispose]());
  const dataDir = join(folder.path, 'data');
  const endpoints = {
    [region]: store.s3Url,
    [otherRegion]: store.s3Url,
    [deadRegion]: `http://127.0.0.1:${await freePort()}`,
  };
  const env = { TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify(endpoints) };
  service = starting.use(await startService({ dataDir, env }));

  const storeToken = await adminTokenOf(storeOptions.dataDir);
  const storeApi = apiOf(store);
  const { partner_id } = await storeApi.createPartner(storeToken, 'owner');
  owner = await storeApi.createStorageCredentials(storeToken, partner_id);
  const put = (name: string, content: string) =>
    storeApi.putObject(storeToken, partner_id, name, content);
  await put('one.csv', deviceFile(1_000, 'k'));
  await put('day/1.csv', deviceFile(500, 'k', 2_001));
  await put('day/2.csv', deviceFile(500, 'k', 2_401));
  await put('day/3.csv', `${deviceFile(99, 'k', 3_001)}not-a-device,k\n`);

  api = apiOf(service);
  const adminToken = await adminTokenOf(dataDir);
  const other = await api.createPartner(adminToken, 'other');
  const queued = await api.queueImport(other.apiKey, own('one.csv'), 1, {
    path_type: 1,
    credentials: { ...keysOf(owner), region: deadRegion },
  });
  hopeless = { apiKey: other.apiKey, importLogId: queued.import_log_id };
  apiKey = (await api.createPartner(adminToken, 'acme')).apiKey;
  await api.createAttribute(apiKey, { name: 'K', partner_foreign_key: 'k' });
  running = starting.move();
});

afterAll(() => running?.disposeAsync());

function keysOf({ accessKeyId, secretAccessKey }: StorageCredentials) {
  return { accessKeyId, secretAccessKey, region };
}

function own(name: string): string {
  return `s3://${bucket}/${owner.prefix}${name}`;
}

async function queue(filePath: string, credentials = keysOf(owner)): Promise<number> {
  const more = { path_type: 1, credentials };
  return (await api.queueImport(apiKey, filePath, 1, more)).import_log_id;
}

async function imported(filePath: string, credentials = keysOf(owner)) {
  return api.ended(apiKey, await queue(filePath, credentials));
}

describe('an import from a partner bucket', () => {
  test('loads one file', async () => {
    expect(await imported(own('one.csv'))).toMatchObject({
      status: 2,
      path_type: 1,
      file_path: own('one.csv'),
      unique_devices: '1000',
      total_rows: '1000',
      errors: null,
    });
  });

  test('loads every file under a prefix, and reports problems with bucket and key', async () => {
    expect(await imported(own('day/'))).toMatchObject({
      status: 2,
      path_type: 1,
      unique_devices: '999',
      total_rows: '1100',
      errors: [{ code: 'malformed_id', file: own('day/3.csv'), line: 101, count: 1 }],
    });
  });

  test('fails if the credentials are refused', async () => {
    const wrong = { ...keysOf(owner), secretAccessKey: 'x'.repeat(40) };
    expect(await imported(own('one.csv'), wrong)).toMatchObject({
      status: 3,
      path_type: 1,
      unique_devices: '0',
      errors: [{ code: 'access_denied' }],
    });
  });

  test('fails if the credentials are not valid for that path', async () => {
    for (const path of [`s3://${bucket}/partner-1/one.csv`, `s3://others/${owner.prefix}one.csv`]) {
      const log = await imported(path);
      expect(log).toMatchObject({ status: 3, errors: [{ code: 'access_denied' }] });
    }
  });

  test('fails if the bucket is in another region, and names that region', async () => {
    const log = await imported(own('one.csv'), { ...keysOf(owner), region: otherRegion });
    const message = expect.stringContaining(`not in the region ${otherRegion} but in ${region}.`);
    expect(log).toMatchObject({ status: 3, errors: [{ code: 'wrong_region', message }] });
  });

  test('fails if the object does not exist', async () => {
    const log = await imported(own('none.csv'));
    expect(log).toMatchObject({ status: 3, errors: [{ code: 'no_files' }] });
  });

  test('is retried while the store is unavailable, and succeeds once it is back', async () => {
    await store[Symbol.asyncDispose]();
    const importLogId = await queue(own('one.csv'));
    const retried = new RegExp(`"job":${importLogId},.*"job retry scheduled"`);
    await until('the import to wait', async () => retried.test(service.logged()));
    await until('the import to be pending again', async () => {
      const { status } = await api.importLog(apiKey, importLogId);
      return status === 0;
    });
    store = await startService(storeOptions);
    expect(await api.ended(apiKey, importLogId)).toMatchObject({
      status: 2,
      unique_devices: '1000',
    });
  });

  test('never shows its credentials in a response or a log', async () => {
    const secretAccessKey = 'a-secret-that-is-nowhere-to-be-seen-1234';
    await imported(own('one.csv'), { ...keysOf(owner), secretAccessKey });
    await imported(own('one.csv'));
    const logs = await (await api.call('GET', '/v1/marketplace/import', apiKey)).text();
    const said = [logs, service.printed(), service.logged()].join('\n');
    expect(said).toContain(own('one.csv'));
    expect(said).not.toContain(secretAccessKey);
    expect(said).not.toContain(owner.secretAccessKey);
    expect(said).not.toContain(owner.accessKeyId);
  });
});

describe('an import request is refused with status 400 for', () => {
  const good = { file_path: `s3://${bucket}/one.csv`, key_type: 1, path_type: 1 };
  const credentials = { accessKeyId: 'id', secretAccessKey: 'a-secret-sent-in-vain', region };
  const role = 'arn:aws:iam::210987654321:role/reader';
  const user = 'arn:aws:iam::210987654321:user/reader';

  test.each<[string, object]>([
    ['path_type 1 without credentials', good],
    ['path_type 0 with credentials', { file_path: 'one.csv', key_type: 1, credentials }],
    ['path_type 1 without s3://', { ...good, file_path: 'one.csv', credentials }],
    ['a bucket without a path', { ...good, file_path: `s3://${bucket}`, credentials }],
    ['only one key', { ...good, credentials: { accessKeyId: 'id', region } }],
    ['a role and keys', { ...good, credentials: { ...credentials, roleArn: role } }],
    ['a role, if the service has no AWS keys', { ...good, credentials: { roleArn: role, region } }],
    ['a user instead of a role', { ...good, credentials: { roleArn: user, region } }],
    ...['evil.com/', 'us-east-1.evil.com', 'us-east-1@evil.com', '127.0.0.1', 'US-EAST-1', ''].map(
      (bad): [string, object] => [
        `the region ${JSON.stringify(bad)}`,
        { ...good, credentials: { ...credentials, region: bad } },
      ],
    ),
    ...['127.0.0.1', 'evil.com:80', 'a@b', 'UPPER', '..', 'x', ''].map((bad): [string, object] => [
      `the bucket ${JSON.stringify(bad)}`,
      { ...good, file_path: `s3://${bad}/one.csv`, credentials },
    ]),
  ])('%s', async (_, body) => {
    const answer = await api.call('POST', '/v1/marketplace/import', apiKey, body);
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_input' }),
    ]);
    expect(text).not.toContain(credentials.secretAccessKey);
  });
});

// Last, because it waits for five tries.
test('an import from a partner bucket fails if the store stays unavailable', async () => {
  const log = await api.ended(hopeless.apiKey, hopeless.importLogId, 90_000);
  expect(log).toMatchObject({ status: 3, errors: [{ code: 'storage_unavailable' }] });
});
