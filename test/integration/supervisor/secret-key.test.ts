import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { createSealing } from '../../../src/records/database/sealing.ts';
import { createRecords, type Records } from '../../../src/records/records.ts';
import { prepareDatabase } from '../../../src/supervisor/prepare-database.ts';
import { type FreshRecords, freshRecords } from '../../support/database.ts';

const oldKey = 'the secret key before the rotation';
const newKey = 'the secret key after the rotation';
const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret', region: 'eu-west-1' };
const payload = { kind: 'something' };

let database: FreshRecords;
let dataDir: string;
beforeEach(async () => {
  database = await freshRecords();
  dataDir = await mkdtemp(join(tmpdir(), 'tributary-data-'));
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

const recordsWith = (...keys: string[]) => createRecords(database.db, createSealing(keys));

/** What every start does before anything else. */
function start(...keys: string[]): Promise<void> {
  const { url, schema } = database;
  const env = {
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_DATABASE_SCHEMA: schema,
    DATABASE_URL: url,
  };
  return prepareDatabase({ ...readConfig(env, '/'), databaseUrl: url }, createSealing(keys));
}

/** Stores a secret of each kind, and returns a function that reads all of them. */
async function storeAll(records: Records): Promise<(records: Records) => Promise<unknown>> {
  const { partnerId } = await records.partners.create('acme');
  const { accessKeyId } = await records.storageCredentials.create(partnerId);
  const jobId = await records.jobs.submit(partnerId, 'import');
  await records.importLogs.saveCredentials(jobId, credentials);
  const { customerId } = await records.customers.create('Harbor');
  const { userId } = await records.users.create(customerId, 'a@harbor.example', 'a password');
  const app = { name: 'App', kind: 'public' as const, redirectUris: ['https://app.example/'] };
  const { clientId } = await records.oauthApps.create(partnerId, app);
  expect(await records.oauthGrants.save('grant', { clientId, userId, payload, seconds: 600 })).toBe(
    true,
  );
  await records.oauthState.saveInteraction('interaction', payload, 600);
  const token = { grantId: 'grant', payload, seconds: 600 };
  await records.oauthState.saveToken('AccessToken', 'token', token);
  await records.oauthKeys.current();
  const device = 'a3f1c2d4567890abcdef1234567890ab';
  const identifiers = [{ device, digest: createHash('sha256').update(device).digest() }];
  const requestId = await records.privacyRequests.create({
    kind: 'delete',
    reference: '',
    identifiers,
  });
  const clickhouse = {
    url: 'http://a',
    username: 'u',
    password: 'p',
    database: 'd',
    cluster: null,
  };
  const copy = await records.warehouseCopies.request({
    kind: 'clickhouse',
    address: 'a',
    clickhouse,
  });
  return async (by) => [
    await by.storageCredentials.find(accessKeyId),
    await by.importLogs.credentials(jobId),
    await by.oauthGrants.find('grant'),
    await by.oauthState.find('Interaction', 'interaction'),
    await by.oauthState.find('AccessToken', 'token'),
    await by.oauthKeys.current(),
    await by.privacyRequests.identifiers(requestId),
    await by.warehouseCopies.find(copy!.copyId),
  ];
}

test('a start without a key that stored secrets need is refused, until they are resealed', async () => {
  await start(oldKey);
  const readAll = await storeAll(recordsWith(oldKey));
  const stored = await readAll(recordsWith(oldKey));
  await start(newKey, oldKey);
  await recordsWith(newKey, oldKey).storageCredentials.create(1);
  await expect(start(newKey)).rejects.toThrow(
    'TRIBUTARY_SECRET_KEY lacks a key that stored secrets are encrypted with (storage credentials: 1, credentials of imports: 1, devices of privacy requests: 1, addresses of warehouses: 1, OAuth grants: 1, OAuth codes and tokens: 2, OAuth signing keys: 1). Add the missing key after the others. Before you remove it, run "tributary secret-key reseal"',
  );

  const { sealedSecrets } = recordsWith(newKey, oldKey);
  expect(await sealedSecrets.reseal()).toBe(8);
  expect(await sealedSecrets.reseal()).toBe(0);
  await start(newKey);
  expect(await readAll(recordsWith(newKey))).toEqual(stored);
  expect(await recordsWith(newKey).sealedSecrets.countUnreadable()).toEqual([]);
});

test('secrets that are no longer in use do not stop a start', async () => {
  await start(oldKey);
  const records = recordsWith(oldKey);
  const { partnerId } = await records.partners.create('acme');
  const { accessKeyId } = await records.storageCredentials.create(partnerId);
  await records.storageCredentials.revoke(partnerId, accessKeyId);
  await records.oauthState.saveInteraction('interaction', payload, 0);
  await start(newKey, oldKey);
  await start(newKey);
});

test('every table with encrypted values is resealed', async () => {
  const { rows } = await sql<{ column: string }>`
    select table_name || '.' || column_name as column from information_schema.columns
    where table_schema = ${database.schema} and column_name like 'sealed%' order by 1
  `.execute(database.db);
  expect(rows.map(({ column }) => column)).toEqual([
    'job_secret.sealed_credentials',
    'oauth_grant.sealed_payload',
    'oauth_key.sealed_keys',
    'oauth_state.sealed_payload',
    'privacy_request.sealed_devices',
    'storage_credential.sealed_secret',
    'warehouse_copy.sealed_from',
    'warehouse_copy.sealed_to',
    'watch.sealed_credentials',
    'webhook_secret.sealed_secret',
  ]);
});
