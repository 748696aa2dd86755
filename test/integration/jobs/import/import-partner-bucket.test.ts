import { afterEach, beforeEach, expect, it } from 'vitest';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import { RetryLater } from '../../../../src/jobs/worker/job-handler.ts';
import type { OpenPartnerBucket } from '../../../../src/objects/port.ts';
import { partnerBuckets } from '../../../../src/process/partner-buckets.ts';
import type { ImportLog } from '../../../../src/records/marketplace/import-logs.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import {
  bucket,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../../support/imports.ts';

// Another instance of the service plays the partner's bucket: a real S3 server with its own keys.
let imports: Imports;
let acme: ImportingPartner;
let tea: number;
let elsewhere: TestEndpoint;
let owner: UploadingPartner;

beforeEach(async () => {
  imports = await freshImports();
  acme = await imports.partner();
  tea = await acme.attribute();
  elsewhere = await startTestEndpoint();
  owner = await elsewhere.partner();
});
afterEach(async () => {
  await imports[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

function openAt(endpoint: string): OpenPartnerBucket {
  const partnerS3Endpoints = { 'us-east-1': endpoint, 'eu-west-1': endpoint };
  return partnerBuckets({ partnerS3Endpoints, sts: null }, () => {});
}

function credentials(secretAccessKey = owner.secretAccessKey, region = 'us-east-1') {
  return { accessKeyId: owner.accessKeyId, secretAccessKey, region };
}

async function queue(filePath: string, sent = credentials()): Promise<number> {
  return queueImport(imports.records, acme.partnerId, { filePath, keyType: 0, pathType: 1 }, sent);
}

async function runNext(endpoint = elsewhere.url): Promise<void> {
  await imports.run(await imports.claim(), { openPartnerBucket: openAt(endpoint) });
}

async function importFrom(path: string, sent = credentials()): Promise<ImportLog | undefined> {
  const importLogId = await queue(`s3://${path}`, sent);
  await runNext();
  return acme.log(importLogId);
}

async function keptSecrets(): Promise<Buffer[]> {
  const kept = await imports.db.selectFrom('job_secret').select('sealed_credentials').execute();
  return kept.map((row) => row.sealed_credentials);
}

async function upload(name: string, content: string): Promise<void> {
  await elsewhere.store.put(
    owner.prefix + name,
    (async function* () {
      yield Buffer.from(content);
    })(),
  );
}

it("an import reads a file or a prefix in the partner's own bucket", async () => {
  await upload('day/1.csv', rows(0, 10, tea));
  await upload('day/2.csv', rows(5, 20, tea));
  expect(await importFrom(`${bucket}/${owner.prefix}day/1.csv`)).toMatchObject({
    state: 'done',
    pathType: 1,
    uniqueDevices: 10,
  });
  expect(await importFrom(`${bucket}/${owner.prefix}day/`)).toMatchObject({
    state: 'done',
    uniqueDevices: 20,
    totalRows: 25,
  });
  expect(await acme.counts()).toEqual([20]);
});

it('problems name a file of that bucket by its full address', async () => {
  await upload('bad.csv', 'a,b,c\n');
  const log = await importFrom(`${bucket}/${owner.prefix}bad.csv`);
  expect(log?.state).toBe('failed');
  expect(log?.errors?.[0]).toMatchObject({
    code: 'wrong_columns',
    file: `s3://${bucket}/${owner.prefix}bad.csv`,
  });
});

it.each([
  [
    'the secret is wrong',
    () => importFrom(`${bucket}/${owner.prefix}x`, credentials('wrong')),
    'access_denied',
  ],
  ['the keys have no access', () => importFrom(`${bucket}/someone-else/x`), 'access_denied'],
  ['there is no such file', () => importFrom(`${bucket}/${owner.prefix}missing.csv`), 'no_files'],
])('fails at once when %s', async (_, run, code) => {
  const log = await run();
  expect(log).toMatchObject({ state: 'failed', uniqueDevices: 0 });
  expect(log?.errors?.map((problem) => problem.code)).toEqual([code]);
});

it('fails at once when the bucket is in another region, and names it', async () => {
  await upload('devices.csv', rows(0, 3, tea));
  const log = await importFrom(
    `${bucket}/${owner.prefix}devices.csv`,
    credentials(owner.secretAccessKey, 'eu-west-1'),
  );
  expect(log).toMatchObject({ state: 'failed', uniqueDevices: 0 });
  expect(log?.errors).toMatchObject([
    {
      code: 'wrong_region',
      file: null,
      message: `The bucket ${bucket} is not in the region eu-west-1 but in us-east-1. Queue the import again with the bucket's region in \`credentials\`.`,
    },
  ]);
});

it('keeps the credentials encrypted, and only until the import ends', async () => {
  await upload('devices.csv', rows(0, 3, tea));
  await queue(`s3://${bucket}/${owner.prefix}devices.csv`);
  const [sealed] = await keptSecrets();
  expect(sealed?.toString('latin1')).not.toContain(owner.secretAccessKey);
  expect(sealed?.toString('latin1')).not.toContain(owner.accessKeyId);
  await runNext();
  expect(await keptSecrets()).toEqual([]);
});

it('deletes the credentials of a failed import', async () => {
  await importFrom(`${bucket}/${owner.prefix}missing.csv`);
  expect(await keptSecrets()).toEqual([]);
});

it('tries an unreachable bucket five times, with growing delays, and then fails', async () => {
  const importLogId = await queue(`s3://${bucket}/${owner.prefix}devices.csv`);
  const nobody = 'http://127.0.0.1:9';
  const waits: number[] = [];
  for (let attempt = 1; attempt < 5; attempt++) {
    const claim = await imports.claim();
    const tried = imports.run(claim, { openPartnerBucket: openAt(nobody) });
    const retry = await tried.catch((error: unknown) => error);
    expect(retry).toBeInstanceOf(RetryLater);
    waits.push((retry as RetryLater).afterSeconds);
    await imports.records.jobs.release(claim, 0);
  }
  expect(waits).toEqual([2, 4, 8, 16]);
  await runNext(nobody);
  const log = await acme.log(importLogId);
  expect(log?.state).toBe('failed');
  expect(log?.errors?.map((problem) => problem.code)).toEqual(['storage_unavailable']);
  expect(await keptSecrets()).toEqual([]);
});
