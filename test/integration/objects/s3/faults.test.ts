import { randomBytes } from 'node:crypto';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { type ObjectVersion, StorageFault, VersionGone } from '../../../../src/objects/port.ts';
import { createS3Client, type S3Options } from '../../../../src/objects/s3/s3-client.ts';
import { createS3Store } from '../../../../src/objects/s3/s3-store.ts';
import { bytesOf } from '../../../support/blobs.ts';
import { content } from '../../../support/disk-store.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../../../support/faulty-proxy.ts';
import { machineHas } from '../../../support/requirements.ts';
import { sharedSwift } from '../../../support/shared-swift.ts';
import { type Swift, swiftOptions } from '../../../support/swift-server.ts';

const retryPolicy = { attempts: 3, breaks: 3, breakPauseMs: 5 };
/** Only for tests of timeouts: on a busy machine a healthy store may be as slow. */
const shortTimeouts = { ...retryPolicy, answerMs: 1_000, idleMs: 500 };

describe.runIf(machineHas('swift'))('the s3 store with a faulty server', () => {
  const bytes = randomBytes(3_000_000);
  let swift: Swift;
  let proxy: FaultyProxy;
  let options: S3Options;
  let objects: ReturnType<typeof createS3Store>;
  let impatient: ReturnType<typeof createS3Store>;
  let version: ObjectVersion;

  beforeAll(async () => {
    swift = await sharedSwift(inject('swiftSocket'));
  });
  afterAll(() => swift?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    proxy = await startFaultyProxy(swift.endpoint);
    options = { ...swiftOptions(swift), endpoint: proxy.endpoint, retryPolicy };
    objects = createS3Store(options);
    impatient = createS3Store({ ...options, retryPolicy: shortTimeouts });
    version = await objects.put('file', content(bytes));
    proxy.requests.length = 0;
  });
  afterEach(async () => {
    await objects[Symbol.asyncDispose]();
    await impatient[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  const ranges = () => proxy.requests.map(({ headers }) => headers.range);
  const read = (offset = 0, store = objects) => bytesOf(store.open(version, offset));

  describe('reading', () => {
    test('continues where the connection broke, in the same version', async () => {
      proxy.faults.push({ kind: 'cut', at: 1_000_000 }, { kind: 'cut', at: 500_000 });
      expect((await read()).equals(bytes)).toBe(true);
      expect(ranges()).toEqual([undefined, 'bytes=1000000-', 'bytes=1500000-']);
      for (const { headers } of proxy.requests) {
        expect(headers['if-match']).toBe(`"${version.etag}"`);
      }
    });

    test('continues after a read from an offset breaks', async () => {
      proxy.faults.push({ kind: 'cut', at: 100 });
      expect((await read(2_000_000)).equals(bytes.subarray(2_000_000))).toBe(true);
      expect(ranges()).toEqual(['bytes=2000000-', 'bytes=2000100-']);
    });

    test('replaces a stalled connection', async () => {
      proxy.faults.push({ kind: 'stall', at: 1_000_000 });
      expect((await read(0, impatient)).equals(bytes)).toBe(true);
      expect(ranges()).toEqual([undefined, 'bytes=1000000-']);
    });

    test('tolerates a slow reader', async () => {
      let size = 0;
      for await (const chunk of impatient.open(version, 0)) {
        if (size === 0) await new Promise((resolve) => setTimeout(resolve, 800));
        size += chunk.length;
      }
      expect(size).toBe(bytes.length);
      expect(ranges()).toEqual([undefined]);
    });

    test('gives up after several connections without data', async () => {
      proxy.faults.push({ kind: 'cut', at: 10 }, ...Array(4).fill({ kind: 'cut', at: 0 }));
      await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
      expect(proxy.requests).toHaveLength(4);
    });

    test('never continues in a newer version', async () => {
      proxy.faults.push({ kind: 'cut', at: 1_000_000 });
      const chunks: Uint8Array[] = [];
      const reading = (async () => {
        for await (const chunk of objects.open(version, 0)) {
          if (chunks.push(chunk) > 1) continue;
          await createS3Store(swiftOptions(swift)).put('file', content(randomBytes(3_000_000)));
        }
      })();
      await expect(reading).rejects.toThrow(VersionGone);
      expect(bytes.subarray(0, 1_000_000).equals(Buffer.concat(chunks))).toBe(true);
    });

    test.each<[string, Fault[]]>([
      ['in one piece', [{ kind: 'damage', at: 1_000 }]],
      [
        'in several pieces',
        [
          { kind: 'cut', at: 2_000_000 },
          { kind: 'damage', at: 1_000 },
        ],
      ],
    ])('detects damage when read %s', async (_, faults) => {
      proxy.faults.push(...faults);
      await expect(read()).rejects.toThrow('checksum mismatch');
    });

    test('detects a different size', async () => {
      const shorter = { ...version, size: version.size - 1 };
      await expect(bytesOf(objects.open(shorter, 0))).rejects.toThrow(
        'received more bytes than its size',
      );
      const longer = { ...version, size: version.size + 1 };
      await expect(bytesOf(objects.open(longer, 0))).rejects.toThrow(VersionGone);
    });
  });

  describe('an outage', () => {
    test('during a listing is an error, not the end of the listing', async () => {
      const cut = { kind: 'cut', at: 100 } as const;
      const find = () => Array.fromAsync(objects.find('fil'), ({ key }) => key);
      proxy.faults.push(null, cut);
      expect(await find()).toEqual(['file']);
      proxy.faults.push(null, cut, cut, cut);
      await expect(find()).rejects.toMatchObject({ code: 'unavailable' });
    });

    test('that ends soon is hidden by retries', async () => {
      proxy.faults.push({ kind: 'answer', status: 503 }, { kind: 'answer', status: 429 });
      expect(await objects.stat('file')).toEqual(version);
      proxy.faults.push({ kind: 'answer', status: 500 }, { kind: 'silence' });
      expect((await read(0, impatient)).equals(bytes)).toBe(true);
    });

    test.each([
      ['503 responses', { kind: 'answer', status: 503 }],
      ['throttling', { kind: 'answer', status: 429 }],
      ['silence', { kind: 'silence' }],
    ] as const)('with lasting %s is reported as unavailable', async (_, fault) => {
      for (const attempt of [
        () => impatient.stat('file'),
        () => read(0, impatient),
        impatient.checkReady,
      ]) {
        proxy.requests.length = 0;
        proxy.faults.push(fault, fault, fault);
        await expect(attempt()).rejects.toMatchObject({ code: 'unavailable' });
        expect(proxy.requests).toHaveLength(3);
      }
    });

    test('with refused connections is reported as unavailable', async () => {
      await proxy[Symbol.asyncDispose]();
      await expect(objects.stat('file')).rejects.toMatchObject({ code: 'unavailable' });
      await expect(objects.put('x', content(bytes))).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  describe('a refusal', () => {
    async function expectFault(wrong: Partial<S3Options>, code: string, words: RegExp) {
      await using store = createS3Store({ ...options, ...wrong });
      const attempts = [
        () => bytesOf(store.open(version, 0)),
        () => Array.fromAsync(store.find('file')),
        () => store.put('x', content(bytes)),
        () => store.checkReady(),
      ];
      for (const attempt of attempts) {
        const error = await attempt().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(StorageFault);
        expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
      }
    }

    test('of an unknown access key', async () => {
      const credentials = { accessKeyId: 'test:nobody', secretAccessKey: 'testing' };
      await expectFault({ credentials }, 'access_denied', /refused the credentials/);
    });

    test('of a wrong secret', async () => {
      const credentials = { accessKeyId: swift.accessKeyId, secretAccessKey: 'wrong' };
      await expectFault({ credentials }, 'access_denied', /SignatureDoesNotMatch/);
    });

    test('of a bucket that does not exist', async () => {
      await expectFault(
        { bucket: 'nowhere' },
        'no_such_bucket',
        /bucket nowhere does not exist in the region us-east-1/,
      );
    });

    test('of the wrong region names the right one', async () => {
      await expectFault({ region: 'eu-west-1' }, 'wrong_region', /not in .* eu-west-1.* us-east-1/);
    });

    test('by a redirect to another region is not followed', async () => {
      const headers = { 'x-amz-bucket-region': 'eu-west-1', location: 'http://127.0.0.1:1/' };
      proxy.faults.push(...Array(6).fill({ kind: 'answer', status: 301, headers }));
      await expectFault({}, 'wrong_region', /not in .* us-east-1.* eu-west-1/);
      expect(proxy.faults).toEqual([]);
    });

    test('for the wrong region repeats nothing from the store except the name of a region', async () => {
      const headers = { 'x-amz-bucket-region': '<b>http://10.0.0.1/</b>' };
      proxy.faults.push(...Array(6).fill({ kind: 'answer', status: 301, headers }));
      await expectFault({}, 'wrong_region', /^The bucket \S+ is not in the region us-east-1\.$/);
      expect(proxy.faults).toEqual([]);
    });
  });

  describe('a multipart put', () => {
    const parts = Array.from({ length: 20 }, () => randomBytes(1_000_000));

    test('survives faults', async () => {
      proxy.faults.push(null, { kind: 'answer', status: 503 }, { kind: 'cut', at: 0 });
      const large = await objects.put('large', content(...parts));
      expect(large).toMatchObject({ size: 20_000_000, etag: expect.stringMatching(/-3$/) });
      expect(await objects.stat('large')).toEqual(large);
      expect((await bytesOf(objects.open(large, 0))).equals(Buffer.concat(parts))).toBe(true);
    });

    test('that fails leaves no object and no parts', async () => {
      async function* broken() {
        yield* parts;
        throw Object.assign(new Error('client disconnected'), { code: 'ECONNRESET' });
      }
      await expect(objects.put('never', broken())).rejects.toThrow('client disconnected');
      expect(await objects.stat('never')).toBeUndefined();
      const client = createS3Client(swiftOptions(swift));
      const command = new ListMultipartUploadsCommand({ Bucket: swift.bucket });
      expect((await client.send(command)).Uploads ?? []).toEqual([]);
      client.destroy();
    });
  });
});
