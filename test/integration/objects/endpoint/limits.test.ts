import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallLimits } from '../../../../src/objects/endpoint/call-limits.ts';
import { filesIn } from '../../../support/blobs.ts';
import {
  bucket,
  signRequest,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';
import { eventually, openSocket, readAnswer } from '../../../support/http.ts';

let endpoint: TestEndpoint;
let acme: UploadingPartner;
let globex: UploadingPartner;
beforeAll(async () => {
  endpoint = await startTestEndpoint(undefined, undefined, {
    limits: { requestsPerSecond: 1_000, requestsInProgress: 2 },
  });
  acme = await endpoint.partner();
  globex = await endpoint.partner();
});
afterAll(() => endpoint[Symbol.asyncDispose]());

/** The head of a signed upload of so many bytes. */
function head(
  partner: UploadingPartner,
  bytes: number,
  expectsContinue = false,
  { url } = endpoint,
): string {
  const path = `/${bucket}/${partner.prefix}x`;
  const { headers } = signRequest(url, partner, 'PUT', path, {
    headers: {
      'content-length': String(bytes),
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
      ...(expectsContinue && { expect: '100-continue' }),
    },
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `PUT ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const list = (partner: UploadingPartner) =>
  partner.send('GET', `/${bucket}?list-type=2&prefix=${encodeURIComponent(partner.prefix)}`);

describe('requests beyond the limits', () => {
  test('in progress get SlowDown until one ends, and other partners do not notice', async () => {
    const sockets = await Promise.all([openSocket(endpoint.url), openSocket(endpoint.url)]);
    for (const socket of sockets) {
      socket.write(head(acme, 4, true));
      await once(socket, 'data');
    }
    const refused = await list(acme);
    expect(refused).toMatchObject({ status: 503, code: 'SlowDown' });
    expect(refused.headers['retry-after']).toBe('1');
    expect((await list(globex)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect((await list(acme)).status).toBe(200));
  });

  test('per second get SlowDown until the next second, each partner for itself', () => {
    let time = 5_000;
    const calls = createCallLimits({ requestsPerSecond: 2, requestsInProgress: 9 }, () => time);
    calls.admit('acme');
    calls.admit('acme');
    expect(() => calls.admit('acme')).toThrow(expect.objectContaining({ code: 'SlowDown' }));
    calls.admit('globex');
    time = 6_000;
    calls.admit('acme');
  });

  test('are retried by clients', async () => {
    const socket = await openSocket(endpoint.url);
    const another = await openSocket(endpoint.url);
    for (const each of [socket, another]) {
      each.write(head(acme, 4, true));
      await once(each, 'data');
    }
    const put = acme
      .client({ maxAttempts: 10 })
      .send(new PutObjectCommand({ Bucket: bucket, Key: `${acme.prefix}retried`, Body: 'body' }));
    await sleep(50);
    socket.destroy();
    another.destroy();
    expect((await put).$metadata.httpStatusCode).toBe(200);
  });
});

describe('a quota', () => {
  test('refuses an upload before its body is sent, and leaves nothing behind', async () => {
    await globex.quota(100);
    const before = await filesIn(endpoint.storeDir);
    const socket = await openSocket(endpoint.url);
    socket.write(head(globex, 101, true));
    const answer = await readAnswer(socket);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('<Code>QuotaExceeded</Code>');
    expect(answer.text).toContain('The storage quota is 100 bytes.');
    socket.destroy();
    const Bucket = bucket;
    const Key = `${globex.prefix}parts`;
    const { UploadId } = await globex.s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const part = (PartNumber: number, bytes: number) =>
      globex.s3.send(
        new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'x'.repeat(bytes) }),
      );
    await part(1, 60);
    await expect(part(2, 41)).rejects.toMatchObject({ name: 'QuotaExceeded' });
    expect(await filesIn(endpoint.storeDir)).toHaveLength(before.length + 1);
    await globex.quota(null);
    await part(2, 41);
  });
});

describe('a slow client', () => {
  let impatient: TestEndpoint;
  beforeAll(async () => {
    const timeouts = { headersMs: 1_000, bodyPace: { bytes: 1_000, withinMs: 300 } };
    impatient = await startTestEndpoint(undefined, undefined, { timeouts });
  });
  afterAll(() => impatient[Symbol.asyncDispose]());

  test('whose body trickles in gets RequestTimeout, and nothing is left behind', async () => {
    const socket = await openSocket(impatient.url);
    socket.write(head(await impatient.partner(), 100_000, false, impatient));
    const trickle = setInterval(() => socket.write('x'), 20);
    const answer = await readAnswer(socket);
    clearInterval(trickle);
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.text).toContain('<Code>RequestTimeout</Code>');
    socket.destroy();
    await eventually(async () => expect(await filesIn(impatient.storeDir)).toEqual([]));
  });

  test('whose headers are late is disconnected', async () => {
    const socket = await openSocket(impatient.url);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
    // Node would look for late headers only every 30 seconds, longer than this test may take.
    expect((await readAnswer(socket)).status).toBe(400);
    socket.destroy();
  });
});
