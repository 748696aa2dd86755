import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StorageCredentials } from '../api.ts';
import { availableClients } from './all-clients.ts';
import { awsSdk, sdkClient } from './aws-sdk.ts';
import { type Connection, megabyte } from './storage-client.ts';
import { startUploadingService, type UploadingService } from './uploading-service.ts';

const small = randomBytes(1_000);
/** Two parts or more with every client. The largest parts have 8 MB. */
const large = randomBytes(11 * megabyte + 12_345);
// Spaces, characters with a meaning in URLs or XML, and non-ASCII letters.
const awkwardName = 'May & June/100% <ü> +1 = "é";#?.csv';

let world: UploadingService;
let partner: StorageCredentials;
/** Looks at the results of other clients, each call of which takes up to a second. */
let observer: S3Client;
let smallFile: string;
let largeFile: string;

beforeAll(async () => {
  world = await startUploadingService();
  partner = await world.partner('acme');
  observer = sdkClient(partner);
  smallFile = join(world.folder, 'small');
  largeFile = join(world.folder, 'large');
  await writeFile(smallFile, small);
  await writeFile(largeFile, large);
  // The SDK uploads it in parts of 5 MB.
  await awsSdk
    .connect({ ...partner, folder: world.folder })
    .put(largeFile, `${partner.prefix}in parts`);
  await putMany(manyKeys());
});

afterAll(async () => {
  observer?.destroy();
  await world?.[Symbol.asyncDispose]();
});

describe.each(availableClients())('%s', (_, client) => {
  let connection: Connection;
  let home: string;
  const key = (name: string) => `${home}${name}`;

  beforeAll(async () => {
    connection = await world.connect(client, partner);
    home = `${partner.prefix}${client.name}/`;
  });

  test('puts and gets a small file under an awkward name', async () => {
    await connection.put(smallFile, key(awkwardName));
    expect(await connection.list(key('May & June/'))).toEqual([key(awkwardName)]);
    expectSame(await connection.get(key(awkwardName)), small);
  });

  test('puts a large file in parts and gets it back', async () => {
    await connection.put(largeFile, key('large'));
    expect(await partsOf(key('large'))).toBeGreaterThanOrEqual(2);
    expectSame(await connection.get(key('large')), large);
  });

  test('puts a stream of unknown length', async () => {
    await connection.putStream(large, key('stream'));
    expect(await partsOf(key('stream'))).toBeGreaterThanOrEqual(2);
    expectSame(await read(key('stream')), large);
  });

  test('gets a range across the boundary of two parts', async () => {
    const [start, end] = [5 * megabyte - 1_000, 5 * megabyte + 1_000];
    const range = await connection.getRange(`${partner.prefix}in parts`, start, end);
    expectSame(range, large.subarray(start, end));
  });

  test(`lists more than 1,000 keys, each once, ${client.lists}`, async () => {
    const listed = await connection.list(`${partner.prefix}many/`);
    const expected = manyKeys();
    if (client.lists === 'in its own order') listed.sort(inByteOrder);
    expect(listed).toEqual(expected);
  });

  test('copies an object', async () => {
    await put(key('original'), small);
    await connection.copy(key('original'), key('copy'));
    expectSame(await read(key('copy')), small);
  });

  if (client.signsLinks === 'by version 4') {
    test('creates a link to one object that works without credentials', async () => {
      await put(key('linked'), small);
      await put(key('other'), small);
      const link = await connection.presign(key('linked'));
      expectSame(await fetched(link), small);
      const answer = await fetch(link.replace('linked', 'other'));
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining('<Code>SignatureDoesNotMatch</Code>'),
      ]);
    });
  } else {
    test('creates only links with signature version 2, which are refused with a clear message', async () => {
      await put(key('linked'), small);
      const answer = await fetch(await connection.presign(key('linked')));
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining('Please use AWS4-HMAC-SHA256.'),
      ]);
    });
  }

  test('deletes one object and no other', async () => {
    await put(key('deleted/one'), small);
    await put(key('deleted/one-more'), small);
    await connection.delete(key('deleted/one'));
    expect(await keysUnder(key('deleted/'))).toEqual([key('deleted/one-more')]);
  });

  test('deletes everything under a prefix and nothing else', async () => {
    const names = Array.from({ length: 20 }, (_, number) => `all/a & b/${number}`);
    await Promise.all([...names, 'all-others'].map((name) => put(key(name), small)));
    await connection.deleteAll(key('all/'));
    expect(await keysUnder(key('all'))).toEqual([key('all-others')]);
  });
});

/** More than one page of keys in byte order, some of which sort differently in any other order. */
function manyKeys(): string[] {
  const plain = Array.from({ length: 1_001 }, (_, number) => `${number % 3}/device file ${number}`);
  const unusual = ['a', 'B', 'a/b', 'a-b', 'é', 'z', 'ｚ', '😀', '+', ' x', '1'];
  return [...plain, ...unusual].map((name) => `${partner.prefix}many/${name}`).sort(inByteOrder);
}

async function putMany(keys: readonly string[]): Promise<void> {
  const waiting = [...keys];
  const putRest = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      await put(next, Buffer.from('x'));
    }
  };
  await Promise.all(Array.from({ length: 16 }, putRest));
}

async function put(key: string, content: Buffer): Promise<void> {
  await observer.send(new PutObjectCommand({ Bucket: partner.bucket, Key: key, Body: content }));
}

async function read(key: string): Promise<Buffer> {
  const { Body } = await observer.send(new GetObjectCommand({ Bucket: partner.bucket, Key: key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

async function keysUnder(prefix: string): Promise<string[]> {
  const { Contents = [] } = await observer.send(
    new ListObjectsV2Command({ Bucket: partner.bucket, Prefix: prefix }),
  );
  return Contents.map(({ Key = '' }) => Key);
}

/** The ETag of a multipart object ends with the number of parts. */
async function partsOf(key: string): Promise<number> {
  const head = await observer.send(new HeadObjectCommand({ Bucket: partner.bucket, Key: key }));
  return Number(/-(\d+)"$/.exec(head.ETag ?? '')?.[1] ?? 1);
}

async function fetched(link: string): Promise<Buffer> {
  const answer = await fetch(link);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

/** Does not print megabytes when they differ. */
function expectSame(found: Buffer, expected: Buffer): void {
  expect(found.length).toBe(expected.length);
  expect(found.equals(expected)).toBe(true);
}

function inByteOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
