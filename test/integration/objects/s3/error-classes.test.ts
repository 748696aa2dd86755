import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createS3Store } from '../../../../src/objects/s3/s3-store.ts';

/** A store that gives these answers, one to each request, and the classes of error that were reported. */
async function classesOf(...answers: [status: number, code: string][]): Promise<string[]> {
  const server = createServer((_, response) => {
    const [status, code] = answers.shift() ?? [200, ''];
    if (status === 0) return void response.destroy();
    const body = code === '' ? listing : `<Error><Code>${code}</Code></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const found: string[] = [];
  await using store = createS3Store({
    bucket: 'devices',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
    pathStyle: true,
    checksums: 'when_required',
    onError: (error) => found.push(error),
  });
  try {
    for await (const _ of store.find('')) throw new Error('the listing is empty');
  } catch {
    // What the caller gets is the subject of other tests.
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return found;
}

const listing = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';

test('requests that fail are reported by class, also those that are tried again', async () => {
  expect(await classesOf([200, ''])).toEqual([]);
  expect(await classesOf([503, 'SlowDown'], [500, 'InternalError'], [0, ''], [200, ''])).toEqual([
    'throttled',
    'server',
    'network',
  ]);
  expect(await classesOf([403, 'AccessDenied'])).toEqual(['denied']);
  expect(await classesOf([404, 'NoSuchBucket'])).toEqual(['request']);
  expect(await classesOf([400, 'InvalidRequest'])).toEqual(['request']);
  expect(await classesOf([404, 'NoSuchKey'])).toEqual([]);
});
