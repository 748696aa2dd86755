import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { pointersOf } from '../../../support/http.ts';

const rolePrincipal = 'arn:aws:iam::123456789012:user/tributary';
const roleArn = 'arn:aws:iam::210987654321:role/path/to/reader';
const region = 'us-east-1';

let service: TestApp;
let apiKey: string;
beforeAll(async () => {
  service = await startTestApp({ rolePrincipal });
  ({ apiKey } = await service.partner());
});
afterAll(() => service[Symbol.asyncDispose]());

function bucketRole(token: string, app = service) {
  return app.call('GET', '/v1/marketplace/bucket-role', { token });
}

function queue(credentials: object) {
  const json = { file_path: 's3://their-bucket/day/', key_type: 1, path_type: 1, credentials };
  return service.call('POST', '/v1/marketplace/import', { token: apiKey, json });
}

test('each partner has an external ID of its own, in a trust policy that can be copied', async () => {
  const { body, status } = await bucketRole(apiKey);
  expect(status).toBe(200);
  expect(body).toEqual({
    external_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    principal: rolePrincipal,
    trust_policy: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: rolePrincipal },
          Action: 'sts:AssumeRole',
          Condition: { StringEquals: { 'sts:ExternalId': body.external_id } },
        },
      ],
    },
  });
  expect((await bucketRole(apiKey)).body).toEqual(body);
  const other = await service.partner();
  expect((await bucketRole(other.apiKey)).body.external_id).not.toBe(body.external_id);
});

test('a service without AWS keys has an external ID, but no trust policy', async () => {
  await using plain = await startTestApp({ database: service.database });
  const { body } = await bucketRole(apiKey, plain);
  expect(body).toEqual({
    external_id: (await bucketRole(apiKey)).body.external_id,
    principal: null,
    trust_policy: null,
  });
});

test('an import is queued with a role or with temporary keys', async () => {
  const temporary = { accessKeyId: 'ASIA', secretAccessKey: 'secret', sessionToken: 'token' };
  for (const credentials of [
    { roleArn, region },
    { ...temporary, region },
  ]) {
    const { body, status } = await queue(credentials);
    expect(status).toBe(202);
    const kept = await service.records.importLogs.credentials(body.import_log_id);
    expect(kept).toEqual(credentials);
  }
});

test.each<[string, object, string]>([
  [
    'an external ID that the partner chose',
    { roleArn, externalId: 'mine' },
    '/credentials/externalId',
  ],
  ['keys and a role', { roleArn, accessKeyId: 'id', secretAccessKey: 's' }, '/credentials'],
  ['a session token and a role', { roleArn, sessionToken: 't' }, '/credentials'],
  ['half of a key pair', { secretAccessKey: 's' }, '/credentials'],
  ['neither keys nor a role', {}, '/credentials'],
  ['a user', { roleArn: 'arn:aws:iam::210987654321:user/x' }, '/credentials/roleArn'],
  [
    "a role of the service's own account",
    { roleArn: 'arn:aws:iam::123456789012:role/x' },
    '/credentials/roleArn',
  ],
  ['an account that is too short', { roleArn: 'arn:aws:iam::21:role/x' }, '/credentials/roleArn'],
  ['a line break', { roleArn: `${roleArn}\n` }, '/credentials/roleArn'],
])('credentials with %s are refused', async (_, credentials, pointer) => {
  const answer = await queue({ ...credentials, region });
  expect(answer.status).toBe(400);
  expect(pointersOf(answer.body)).toEqual([pointer]);
});
