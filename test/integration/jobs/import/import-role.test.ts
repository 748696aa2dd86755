import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { queueImport } from '../../../../src/actions/queue-import.ts';
import { messageOf } from '../../../../src/domain/errors.ts';
import { RetryLater } from '../../../../src/jobs/worker/job-handler.ts';
import { partnerBuckets } from '../../../../src/process/partner-buckets.ts';
import type {
  BucketCredentials,
  ImportLog,
} from '../../../../src/records/marketplace/import-logs.ts';
import { deviceRows as rows } from '../../../support/devices.ts';
import { bucket, startTestEndpoint, type TestEndpoint } from '../../../support/endpoint.ts';
import { freshImports, type ImportingPartner, type Imports } from '../../../support/imports.ts';
import { assumer, type StsServer, startStsServer } from '../../../support/sts-server.ts';

const region = 'us-east-1';
const roleArn = 'arn:aws:iam::210987654321:role/tributary';

let imports: Imports;
let elsewhere: TestEndpoint;
let folder: string;
beforeAll(async () => {
  imports = await freshImports();
  elsewhere = await startTestEndpoint();
});
afterAll(async () => {
  await imports[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

let acme: ImportingPartner;
let externalId: string;
let sts: StsServer;
beforeEach(async () => {
  acme = await imports.partner();
  const tea = await acme.attribute();
  externalId = await imports.records.partners.externalId(acme.partnerId);
  const owner = await elsewhere.partner();
  sts = await startStsServer(elsewhere.url, owner);
  sts.trusts.set(roleArn, externalId);
  folder = `s3://${bucket}/${owner.prefix}day/`;
  for (const [name, first] of Object.entries({ '1.csv': 0, '2.csv': 10, '3.csv': 20 })) {
    await elsewhere.store.put(
      `${owner.prefix}day/${name}`,
      (async function* () {
        yield Buffer.from(rows(first, first + 10, tea));
      })(),
    );
  }
});
afterEach(() => sts[Symbol.asyncDispose]());

async function run(own = assumer): Promise<void> {
  const config = {
    partnerS3Endpoints: { [region]: sts.bucketUrl },
    sts: { ...own, endpoint: sts.url },
  };
  await imports.run(await imports.claim(), { openPartnerBucket: partnerBuckets(config, () => {}) });
}

function queue(credentials: BucketCredentials): Promise<number> {
  const place = { filePath: folder, keyType: 0, pathType: 1 } as const;
  return queueImport(imports.records, acme.partnerId, place, credentials);
}

async function imported(credentials: BucketCredentials): Promise<ImportLog | undefined> {
  const importLogId = await queue(credentials);
  await run();
  return acme.log(importLogId);
}

it("an import reads the partner's bucket with a role, with the external ID of the partner", async () => {
  expect(await imported({ roleArn, region })).toMatchObject({ state: 'done', uniqueDevices: 30 });
  for (const call of sts.calls) {
    expect(Object.fromEntries(call)).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: roleArn,
      ExternalId: externalId,
      RoleSessionName: 'tributary',
    });
    // The keys can do no more than this, whatever the role may do.
    const { Statement } = JSON.parse(call.get('Policy') ?? '');
    expect(Statement).toMatchObject([
      { Action: 's3:ListBucket', Resource: `arn:aws:s3:::${bucket}` },
      { Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` },
      {
        Action: 'kms:Decrypt',
        Condition: { StringLike: { 'kms:ViaService': expect.any(String) } },
      },
    ]);
  }
});

it('keys of a role that expire during the import are renewed', async () => {
  // One for each file, which may be opened together. Listing them takes two more.
  sts.requestsPerKey = 3;
  expect(await imported({ roleArn, region })).toMatchObject({ state: 'done', uniqueDevices: 30 });
  expect(sts.calls.length).toBeGreaterThan(1);
});

it("another partner's role is refused, with what its trust policy must say", async () => {
  const other = await imports.records.partners.create('other');
  sts.trusts.set(roleArn, await imports.records.partners.externalId(other.partnerId));
  const log = await imported({ roleArn, region });
  expect(log).toMatchObject({ state: 'failed', uniqueDevices: 0 });
  expect(log?.errors).toMatchObject([
    {
      code: 'access_denied',
      message: `The service may not assume the role ${roleArn} (AccessDenied). Its trust policy must allow sts:AssumeRole to the principal ${assumer.principal} with the external ID ${externalId}.`,
    },
  ]);
});

it.each<[string, () => Promise<void>, RegExp]>([
  [
    'STS is unavailable',
    () => {
      sts.outage = 503;
      return run();
    },
    /STS is unavailable: 503/,
  ],
  [
    "STS refuses the service's own keys",
    () => run({ ...assumer, secretAccessKey: 'wrong' }),
    /STS refused the service's own AWS keys \(SignatureDoesNotMatch\)/,
  ],
])('an import is tried again if %s', async (_, attempt, message) => {
  const importLogId = await queue({ roleArn, region });
  sts.outage = null;
  const retry = await attempt().catch((error: unknown) => error);
  expect(retry).toBeInstanceOf(RetryLater);
  expect(messageOf((retry as RetryLater).cause)).toMatch(message);
  expect(messageOf((retry as RetryLater).cause)).not.toContain(sts.url);
  await imports.records.jobs.cancel([importLogId]);
});

it('an import reads with temporary keys, and fails when they have expired', async () => {
  expect(await imported({ ...sts.issue(), region })).toMatchObject({ state: 'done' });
  const expired = await imported({ ...sts.issue(2), region });
  expect(expired?.errors).toMatchObject([
    { code: 'access_denied', message: expect.stringContaining('(ExpiredToken)') },
  ]);
});
