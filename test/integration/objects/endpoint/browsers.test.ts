import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { originAliases } from '../../../../src/objects/endpoint/call/cors.ts';
import {
  bucket,
  corsOrigin,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

let endpoint: TestEndpoint;
let partner: UploadingPartner;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
  partner = await endpoint.partner();
});
afterAll(() => endpoint[Symbol.asyncDispose]());

describe('the console may be opened by any loopback name', () => {
  test.each([
    [
      'http://127.0.0.1:8080',
      ['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost:8080'],
    ],
    ['https://localhost', ['https://127.0.0.1', 'https://[::1]', 'https://localhost']],
    ['http://[::1]:81', ['http://127.0.0.1:81', 'http://[::1]:81', 'http://localhost:81']],
    ['https://tributary.example.com', ['https://tributary.example.com']],
    ['http://localhost.example.com:8080', ['http://localhost.example.com:8080']],
    ['http://10.0.0.1:8080', ['http://10.0.0.1:8080']],
  ])('%s', (origin, names) => {
    expect([...originAliases(origin)].sort()).toEqual(names);
  });
});

describe('an uploaded page', () => {
  async function opened(content: string, type: string, chosen = {}) {
    const object = { Bucket: bucket, Key: `${partner.prefix}page` };
    await partner.s3.send(new PutObjectCommand({ ...object, Body: content, ContentType: type }));
    const command = new GetObjectCommand({ ...object, ...chosen });
    return fetch(await getSignedUrl(partner.s3, command));
  }

  // Cookies ignore the port, so an uploaded page must not run as a page of the console's host.
  test.each([
    ['text/html', {}],
    ['image/svg+xml', {}],
    ['text/plain', { ResponseContentType: 'text/html' }],
  ])('runs no script, as %s %j', async (type, chosen) => {
    const answer = await opened('<script>alert(1)</script>', type, chosen);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/html|svg/);
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).toBe('<script>alert(1)</script>');
  });

  test('runs no script when its URL is echoed in an error', async () => {
    const answer = await fetch(`${endpoint.url}/${bucket}/<script>alert(1)</script>`);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect(await answer.text()).not.toContain('<script>');
  });
});

test('the console can read an error response', async () => {
  const answer = await fetch(`${endpoint.url}/${bucket}/x?X-Amz-Algorithm=none`, {
    method: 'PUT',
    headers: { origin: corsOrigin, 'content-type': 'text/csv' },
    body: 'x',
  });
  expect(answer.status).toBe(400);
  expect(answer.headers.get('access-control-allow-origin')).toBe(corsOrigin);
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
});
