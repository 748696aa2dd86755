import { randomBytes } from 'node:crypto';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ObjectVersion, StorageFault, VersionGone } from '../../../../src/objects/port.ts';
import { createS3Client, type S3Options } from '../../../../src/objects/s3/s3-client.ts';
import { createS3Store } from '../../../../src/objects/s3/s3-store.ts';
import { bytesOf } from '../../../support/blobs.ts';
import { content } from '../../../support/disk-store.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../../../support/faulty-proxy.ts';
import { machineHas } from '../../../support/requirements.ts';
import { type Swift, startSwift, swiftOptions } from '../../../support/swift-server.ts';

const patience = { attempts: 3, breaks: 3, breakPauseMs: 5 };
/** For silence only: a store on a busy machine may well take as long. */
const haste = { ...patience, answerMs: 1_000, idleMs: 500 };

describe.runIf(machineHas('swift'))('the s3 store, when things go wrong', () => {
  const bytes = randomBytes(3_000_000);
  let swift: Swift;
  let proxy: FaultyProxy;
  let options: S3Options;
  let objects: ReturnType<typeof createS3Store>;
  let hasty: ReturnType<typeof createS3Store>;
  let version: ObjectVersion;

  beforeAll(async () => {
    swift = await startSwift();
  });
  afterAll(() => swift?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    proxy = await startFaultyProxy(swift.endpoint);
    options = { ...swiftOptions(swift), endpoint: proxy.endpoint, patience };
    objects = createS3Store(options);
    hasty = createS3Store({ ...options, patience: haste });
    version = await objects.put('file', content(bytes));
    proxy.requests.length = 0;
  });
  afterEach(async () => {
    await objects[Symbol.asyncDispose]();
    await hasty[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  const ranges = () => proxy.requests.map(({ headers }) => headers.range);
  const read = (offset = 0, store = objects) => bytesOf(store.open(version, offset));

  describe('reading', () => {
    test('goes on where the connection broke, in the same version', async () => {
      proxy.faults.push({ kind: 'cut', at: 1_000_000 }, { kind: 'cut', at: 500_000 });
      expect((await read()).equals(bytes)).toBe(true);
      expect(ranges()).toEqual([undefined, 'bytes=1000000-', 'bytes=1500000-']);
      for (const { headers } of proxy.requests) {
        expect(headers['if-match']).toBe(`"${version.etag}"`);
      }
    });

    test('goes on likewise from an offset', async () => {
      proxy.faults.push({ kind: 'cut', at: 100 });
      expect((await read(2_000_000)).equals(bytes.subarray(2_000_000))).toBe(true);
      expect(ranges()).toEqual(['bytes=2000000-', 'bytes=2000100-']);
    });

    test('takes a body that stalls for a broken one', async () => {
      proxy.faults.push({ kind: 'stall', at: 1_000_000 });
      expect((await read(0, hasty)).equals(bytes)).toBe(true);
      expect(ranges()).toEqual([undefined, 'bytes=1000000-']);
    });

    test('takes no harm from a reader that is slow', async () => {
      let size = 0;
      for await (const chunk of hasty.open(version, 0)) {
        if (size === 0) await new Promise((resolve) => setTimeout(resolve, 800));
        size += chunk.length;
      }
      expect(size).toBe(bytes.length);
      expect(ranges()).toEqual([undefined]);
    });

    test('gives up when one connection after the other brings nothing', async () => {
      proxy.faults.push({ kind: 'cut', at: 10 }, ...Array(4).fill({ kind: 'cut', at: 0 }));
      await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
      expect(proxy.requests).toHaveLength(4);
    });

    test('never goes on in what has replaced the version', async () => {
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
        'in several',
        [
          { kind: 'cut', at: 2_000_000 },
          { kind: 'damage', at: 1_000 },
        ],
      ],
    ])('finds damage, read %s', async (_, faults) => {
      proxy.faults.push(...faults);
      await expect(read()).rejects.toThrow('its bytes arrived damaged');
    });

    test('finds an object that has another size than it had', async () => {
      const shorter = { ...version, size: version.size - 1 };
      await expect(bytesOf(objects.open(shorter, 0))).rejects.toThrow('more bytes came');
      const longer = { ...version, size: version.size + 1 };
      await expect(bytesOf(objects.open(longer, 0))).rejects.toThrow(VersionGone);
    });
  });

  describe('an outage', () => {
    test('in the middle of a list is one, not the end of the list', async () => {
      const cut = { kind: 'cut', at: 100 } as const;
      const find = () => Array.fromAsync(objects.find('fil'), ({ key }) => key);
      proxy.faults.push(null, cut);
      expect(await find()).toEqual(['file']);
      proxy.faults.push(null, cut, cut, cut);
      await expect(find()).rejects.toMatchObject({ code: 'unavailable' });
    });

    test('that passes is not noticed', async () => {
      proxy.faults.push({ kind: 'answer', status: 503 }, { kind: 'answer', status: 429 });
      expect(await objects.stat('file')).toEqual(version);
      proxy.faults.push({ kind: 'answer', status: 500 }, { kind: 'silence' });
      expect((await read(0, hasty)).equals(bytes)).toBe(true);
    });

    test.each([
      ['answers of 503', { kind: 'answer', status: 503 }],
      ['throttling', { kind: 'answer', status: 429 }],
      ['silence', { kind: 'silence' }],
    ] as const)('of %s that stays is one', async (_, fault) => {
      for (const attempt of [() => hasty.stat('file'), () => read(0, hasty), hasty.checkReady]) {
        proxy.requests.length = 0;
        proxy.faults.push(fault, fault, fault);
        await expect(attempt()).rejects.toMatchObject({ code: 'unavailable' });
        expect(proxy.requests).toHaveLength(3);
      }
    });

    test('is also when nobody listens', async () => {
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
      await expectFault({ credentials }, 'access_denied', /refuses the credentials/);
    });

    test('of a wrong secret', async () => {
      const credentials = { accessKeyId: swift.accessKeyId, secretAccessKey: 'wrong' };
      await expectFault({ credentials }, 'access_denied', /SignatureDoesNotMatch/);
    });

    test('of a bucket that does not exist', async () => {
      await expectFault(
        { bucket: 'nowhere' },
        'no_such_bucket',
        /no bucket nowhere in the region us-east-1/,
      );
    });

    test('of the wrong region names the right one', async () => {
      await expectFault(
        { region: 'eu-west-1' },
        'no_such_bucket',
        /not in .* eu-west-1.* us-east-1/,
      );
    });

    test('by a redirect to another region is not followed', async () => {
      const headers = { 'x-amz-bucket-region': 'eu-west-1', location: 'http://127.0.0.1:1/' };
      proxy.faults.push(...Array(6).fill({ kind: 'answer', status: 301, headers }));
      await expectFault({}, 'no_such_bucket', /not in .* us-east-1.* eu-west-1/);
      expect(proxy.faults).toEqual([]);
    });
  });

  describe('a put in parts', () => {
    const parts = Array.from({ length: 20 }, () => randomBytes(1_000_000));

    test('comes through faults whole', async () => {
      proxy.faults.push(null, { kind: 'answer', status: 503 }, { kind: 'cut', at: 0 });
      const large = await objects.put('large', content(...parts));
      expect(large).toMatchObject({ size: 20_000_000, etag: expect.stringMatching(/-3$/) });
      expect(await objects.stat('large')).toEqual(large);
      expect((await bytesOf(objects.open(large, 0))).equals(Buffer.concat(parts))).toBe(true);
    });

    test('that breaks off leaves nothing, nor any of its parts', async () => {
      async function* broken() {
        yield* parts;
        throw Object.assign(new Error('the client is gone'), { code: 'ECONNRESET' });
      }
      await expect(objects.put('never', broken())).rejects.toThrow('the client is gone');
      expect(await objects.stat('never')).toBeUndefined();
      const client = createS3Client(swiftOptions(swift));
      const command = new ListMultipartUploadsCommand({ Bucket: swift.bucket });
      expect((await client.send(command)).Uploads ?? []).toEqual([]);
      client.destroy();
    });
  });
});
