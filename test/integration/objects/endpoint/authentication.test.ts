import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  bucket,
  type RequestOptions,
  sendRaw,
  signRequest,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

let endpoint: TestEndpoint;
let partner: UploadingPartner;
let target: string;
let now: Date;
beforeAll(async () => {
  endpoint = await startTestEndpoint(() => now);
  now = new Date();
  partner = await endpoint.partner();
  target = `/${bucket}/${partner.prefix}x`;
  await partner.s3.send(
    new PutObjectCommand({ Bucket: bucket, Key: `${partner.prefix}x`, Body: 'x' }),
  );
});
afterAll(() => endpoint[Symbol.asyncDispose]());
beforeEach(() => {
  now = new Date();
});

const minutes = (count: number) => new Date(now.getTime() + count * 60_000);
const get = (options?: RequestOptions) => partner.send('GET', target, options);

describe('a signature in the header', () => {
  test('is accepted if it is valid', async () => {
    expect(await get()).toMatchObject({ status: 200, text: 'x' });
  });

  test('by a wrong secret is refused with S3’s message', async () => {
    const answer = await get({ secretAccessKey: 'x'.repeat(40) });
    expect(answer).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' });
    expect(answer.headers['content-type']).toBe('application/xml');
    const requestId = answer.headers['x-amz-request-id'];
    expect(requestId).toMatch(/^[0-9A-F]{16}$/);
    expect(answer.text).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match the signature you provided. Check your key and signing method.</Message><AWSAccessKeyId>${partner.accessKeyId}</AWSAccessKeyId><Resource>${target}</Resource><RequestId>${requestId}</RequestId></Error>`,
    );
  });

  test('by an unknown or a revoked key is refused', async () => {
    const unknown = { accessKeyId: 'TRIBUNKNOWN', secretAccessKey: partner.secretAccessKey };
    const { headers } = signRequest(endpoint.url, unknown, 'GET', target);
    expect((await sendRaw(endpoint.url, 'GET', target, headers)).code).toBe('InvalidAccessKeyId');
    const other = await endpoint.partner();
    expect((await other.send('GET', '/')).status).toBe(200);
    await other.revoke();
    expect((await other.send('GET', '/')).code).toBe('InvalidAccessKeyId');
  });

  test('of a disabled partner is refused until it is enabled', async () => {
    const other = await endpoint.partner();
    await other.setDisabled(true);
    expect(await other.send('GET', '/')).toMatchObject({ status: 403, code: 'AllAccessDisabled' });
    await other.setDisabled(false);
    expect((await other.send('GET', '/')).status).toBe(200);
  });

  test('is refused if its time differs by more than 15 minutes', async () => {
    expect((await get({ at: minutes(-14.9) })).status).toBe(200);
    expect((await get({ at: minutes(14.9) })).status).toBe(200);
    expect((await get({ at: minutes(-15.1) })).code).toBe('RequestTimeTooSkewed');
    expect((await get({ at: minutes(15.1) })).code).toBe('RequestTimeTooSkewed');
  });

  test('is refused when it is replayed later', async () => {
    const { headers } = signRequest(endpoint.url, partner, 'GET', target);
    expect((await sendRaw(endpoint.url, 'GET', target, headers)).status).toBe(200);
    now = minutes(16);
    expect((await sendRaw(endpoint.url, 'GET', target, headers)).code).toBe('RequestTimeTooSkewed');
  });

  test('for another region is refused, and the error names the right region', async () => {
    const answer = await get({ region: 'eu-west-1' });
    expect(answer).toMatchObject({ status: 400, code: 'AuthorizationHeaderMalformed' });
    expect(answer.text).toContain("the region 'eu-west-1' is wrong; expecting 'us-east-1'");
    expect(answer.text).toContain('<Region>us-east-1</Region>');
  });

  test('covers the method, the path, the query and the headers', async () => {
    const headers = { 'x-amz-meta-a': 'b', 'content-type': 'text/csv' };
    const { headers: signed } = signRequest(endpoint.url, partner, 'GET', `${target}?a=b`, {
      headers,
    });
    const send = (method: string, path: string, more: object = {}) =>
      sendRaw(endpoint.url, method, path, { ...signed, ...more });
    expect((await send('GET', `${target}?a=b`)).status).toBe(200);
    for (const tampered of [
      await send('DELETE', `${target}?a=b`),
      await send('GET', `${target}y?a=b`),
      await send('GET', `${target}?a=c`),
      await send('GET', `${target}?a=b&c=d`),
      await send('GET', target),
      await send('GET', `${target}?a=b`, { host: 'elsewhere:1' }),
      await send('GET', `${target}?a=b`, { 'x-amz-meta-a': 'c' }),
      await send('GET', `${target}?a=b`, { 'content-type': 'text/html' }),
      await send('GET', `${target}?a=b`, { 'x-amz-content-sha256': 'a'.repeat(64) }),
    ]) {
      expect(tampered.code).toBe('SignatureDoesNotMatch');
    }
  });

  test('must cover the host and every x-amz- header', async () => {
    const headers = { 'x-amz-meta-a': 'b' };
    const unsigned = await get({ headers, unsigned: ['x-amz-meta-a'] });
    expect(unsigned.code).toBe('AccessDenied');
    expect(unsigned.text).toContain('<HeadersNotSigned>x-amz-meta-a</HeadersNotSigned>');
    for (const name of ['host', 'x-amz-date', 'x-amz-content-sha256']) {
      expect((await get({ unsigned: [name] })).code).toBe('AccessDenied');
    }
  });

  test.each([
    ['none at all', {}, 'AccessDenied'],
    ['of version 2', { authorization: 'AWS a:b' }, 'InvalidRequest'],
    ['of version 4a', { authorization: 'AWS4-ECDSA-P256-SHA256 x' }, 'InvalidRequest'],
    ['that is none', { authorization: 'Bearer x' }, 'InvalidRequest'],
    ['without members', { authorization: 'AWS4-HMAC-SHA256' }, 'AuthorizationHeaderMalformed'],
    [
      'without a scope',
      { authorization: 'AWS4-HMAC-SHA256 Credential=a,SignedHeaders=host,Signature=b' },
      'AuthorizationHeaderMalformed',
    ],
  ])('%s is refused', async (_, headers, code) => {
    const answer = await sendRaw(endpoint.url, 'GET', target, headers);
    expect(answer.code).toBe(code);
  });

  test('is refused with a session token, which we never issue', async () => {
    expect((await get({ headers: { 'x-amz-security-token': 'x' } })).code).toBe('InvalidToken');
  });

  test('needs the hash of the body or UNSIGNED-PAYLOAD', async () => {
    const headers = { 'x-amz-content-sha256': 'nothing' };
    expect((await get({ headers })).code).toBe('InvalidArgument');
  });
});

describe('a presigned URL', () => {
  const presign = (expiresIn = 60) =>
    getSignedUrl(partner.s3, new GetObjectCommand({ Bucket: bucket, Key: `${partner.prefix}x` }), {
      expiresIn,
      signingDate: now,
    });
  const codeOf = async (url: string | URL, init: RequestInit = {}) =>
    /<Code>(\w+)<|$/.exec(await (await fetch(url, init)).text())?.[1];

  test('is valid until it expires', async () => {
    const url = await presign(60);
    expect((await fetch(url)).status).toBe(200);
    now = new Date(now.getTime() + 59_000);
    expect((await fetch(url)).status).toBe(200);
    now = new Date(now.getTime() + 3_000);
    expect(await codeOf(url)).toBe('AccessDenied');
  });

  test('is valid for at most a week, and not before its date', async () => {
    const url = await presign(604_800);
    now = minutes(7 * 24 * 60 - 1);
    expect((await fetch(url)).status).toBe(200);
    now = minutes(-8 * 24 * 60);
    expect(await codeOf(url)).toBe('AccessDenied');
  });

  test.each([
    ['X-Amz-Signature', '0'.repeat(64), 'SignatureDoesNotMatch'],
    ['X-Amz-Signature', '', 'AuthorizationQueryParametersError'],
    ['X-Amz-Date', '20200101T000000Z', 'AuthorizationQueryParametersError'],
    ['X-Amz-Date', 'yesterday', 'AuthorizationQueryParametersError'],
    ['X-Amz-Expires', '61', 'SignatureDoesNotMatch'],
    ['X-Amz-Expires', '604801', 'AuthorizationQueryParametersError'],
    ['X-Amz-Expires', '0', 'AuthorizationQueryParametersError'],
    ['X-Amz-Expires', '-1', 'AuthorizationQueryParametersError'],
    ['X-Amz-SignedHeaders', 'host;x', 'SignatureDoesNotMatch'],
    ['X-Amz-SignedHeaders', 'x', 'AccessDenied'],
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA512', 'AuthorizationQueryParametersError'],
    ['X-Amz-Credential', 'x', 'AuthorizationQueryParametersError'],
    ['X-Amz-Content-Sha256', 'a'.repeat(64), 'SignatureDoesNotMatch'],
    ['X-Amz-Security-Token', 'x', 'SignatureDoesNotMatch'],
    ['response-content-type', 'text/html', 'SignatureDoesNotMatch'],
    ['x-id', 'PutObject', 'SignatureDoesNotMatch'],
  ])('with %s changed to %j is refused', async (name, value, code) => {
    const url = new URL(await presign());
    url.searchParams.set(name, value);
    expect(await codeOf(url)).toBe(code);
  });

  test.each(['X-Amz-Credential', 'X-Amz-Date', 'X-Amz-Expires', 'X-Amz-SignedHeaders'])(
    'without %s is refused',
    async (name) => {
      const url = new URL(await presign());
      url.searchParams.delete(name);
      expect(await codeOf(url)).toBe('AuthorizationQueryParametersError');
    },
  );

  test('for another key, region, object or method is refused', async () => {
    const url = await presign();
    const { accessKeyId } = await endpoint.partner();
    expect(await codeOf(url.replace(partner.accessKeyId, accessKeyId))).toBe(
      'SignatureDoesNotMatch',
    );
    expect(await codeOf(url.replace('us-east-1', 'eu-west-1'))).toBe(
      'AuthorizationQueryParametersError',
    );
    expect(await codeOf(url.replace('/x?', '/y?'))).toBe('SignatureDoesNotMatch');
    expect(await codeOf(url, { method: 'DELETE' })).toBe('SignatureDoesNotMatch');
  });

  test('is refused with unsigned x-amz- headers or a second signature', async () => {
    const url = await presign();
    expect(await codeOf(url, { headers: { 'x-amz-meta-a': 'b' } })).toBe('AccessDenied');
    expect(await codeOf(url, { headers: { authorization: 'AWS4-HMAC-SHA256 x' } })).toBe(
      'InvalidArgument',
    );
  });

  test('of version 2 is refused', async () => {
    const url = `${endpoint.url}${target}?AWSAccessKeyId=a&Signature=b&Expires=1`;
    expect(await codeOf(url)).toBe('InvalidRequest');
  });
});

test('no secret and no signature is ever logged', () => {
  expect(endpoint.logged.length).toBeGreaterThan(20);
  const logged = endpoint.logged.join('');
  expect(logged).not.toContain(partner.secretAccessKey);
  expect(logged).not.toMatch(/Signature=|AWS4-HMAC/);
  expect(logged).toContain('TRIBUNKNOWN');
});
