import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bucket,
  startTestEndpoint,
  type TestEndpoint,
  type UploadingPartner,
} from '../../../support/endpoint.ts';

let endpoint: TestEndpoint;
beforeAll(async () => {
  endpoint = await startTestEndpoint();
});
afterAll(() => endpoint[Symbol.asyncDispose]());

async function partnerWith(...keys: string[]): Promise<UploadingPartner> {
  const partner = await endpoint.partner();
  for (const key of keys) await endpoint.store.put(partner.prefix + key, bytes(key));
  return partner;
}

async function* bytes(text: string) {
  yield Buffer.from(text);
}

/** The keys and common prefixes of all pages in order, without the partner's prefix. */
async function listAll({ s3, prefix }: UploadingPartner, input: object, pageSize: number) {
  const names: string[] = [];
  const pages = paginateListObjectsV2(
    { client: s3, pageSize },
    { Bucket: bucket, Prefix: prefix, ...input },
  );
  for await (const page of pages) {
    const found = [
      ...(page.Contents ?? []).map(({ Key }) => Key!),
      ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix!),
    ];
    expect(page.KeyCount).toBe(found.length);
    expect(found.length).toBeLessThanOrEqual(pageSize);
    names.push(...found.map((name) => name.slice(prefix.length)).sort(byBytes));
  }
  return names;
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

describe('a listing', () => {
  test('has every object in byte order, page by page', async () => {
    const keys = ['b', 'a', 'a/b', 'a b', 'é', '\uffee', '😀', 'Z', 'a//', '~'];
    const partner = await partnerWith(...keys);
    for (const pageSize of [1, 3, 9, 10, 1000]) {
      expect(await listAll(partner, {}, pageSize)).toEqual(keys.toSorted(byBytes));
    }
  });

  test('describes each object', async () => {
    const { s3, prefix } = await partnerWith('x');
    const input = { Bucket: bucket, Prefix: prefix, FetchOwner: true };
    expect((await s3.send(new ListObjectsV2Command(input))).Contents).toEqual([
      {
        Key: `${prefix}x`,
        Size: 1,
        ETag: '"9dd4e461268c8034f5c8564e155c67a6"',
        LastModified: expect.any(Date),
        Owner: expect.anything(),
        StorageClass: 'STANDARD',
      },
    ]);
  });

  test('with a delimiter groups keys and counts each group once', async () => {
    const partner = await partnerWith('a/1', 'a/2', 'a/b/3', 'b', 'c/1', 'c/2', 'd/', 'd0', 'e/x');
    for (const pageSize of [1, 2, 3, 6, 1000]) {
      expect(await listAll(partner, { Delimiter: '/' }, pageSize)).toEqual([
        'a/',
        'b',
        'c/',
        'd/',
        'd0',
        'e/',
      ]);
    }
    const below = { Delimiter: '/', Prefix: `${partner.prefix}a/` };
    expect(await listAll(partner, below, 2)).toEqual(['a/1', 'a/2', 'a/b/']);
    expect(await listAll(partner, { Delimiter: '/1' }, 1000)).toContain('a/1');
  });

  test('agrees with a naive implementation for any keys, delimiter and page size', async () => {
    const partner = await endpoint.partner();
    const key = fc
      .array(fc.constantFrom('a', 'b', '/', '/', '\u{10ffff}', 'é'), { minLength: 1, maxLength: 6 })
      .map((letters) => letters.join(''));
    const property = fc.asyncProperty(
      fc.uniqueArray(key, { maxLength: 12 }),
      fc.constantFrom('/', 'a', '//', ''),
      fc.integer({ min: 1, max: 5 }),
      async (keys, Delimiter, pageSize) => {
        const old = await endpoint.store.list(partner.prefix, '', 1000);
        await endpoint.store.delete(old.map(({ key }) => key));
        for (const key of keys) await endpoint.store.put(partner.prefix + key, bytes(''));
        const names = keys.toSorted(byBytes).map((key) => {
          const at = Delimiter === '' ? -1 : key.indexOf(Delimiter);
          return at < 0 ? key : key.slice(0, at + Delimiter.length);
        });
        expect(await listAll(partner, { Delimiter }, pageSize)).toEqual([...new Set(names)]);
      },
    );
    await fc.assert(property, { numRuns: process.env.TRIBUTARY_SOAK === '1' ? 300 : 15 });
  });

  test('begins after a given key', async () => {
    const partner = await partnerWith('a', 'b', 'c');
    expect(await listAll(partner, { StartAfter: `${partner.prefix}a` }, 1)).toEqual(['b', 'c']);
  });

  test('without matches, or with a limit of zero, is empty', async () => {
    const { s3, prefix } = await partnerWith('a');
    const input = { Bucket: bucket, Prefix: prefix };
    const none = await s3.send(new ListObjectsV2Command({ ...input, MaxKeys: 0 }));
    expect(none).toMatchObject({ KeyCount: 0, IsTruncated: false });
    const nothing = await s3.send(new ListObjectsV2Command({ ...input, Prefix: `${prefix}z` }));
    expect(nothing).toMatchObject({ KeyCount: 0, IsTruncated: false });
  });

  test('has at most a thousand objects per page', async () => {
    const partner = await endpoint.partner();
    const keys = Array.from({ length: 1_050 }, (_, i) => String(i).padStart(5, '0'));
    const puts = keys.values();
    const worker = async () => {
      for (const key of puts) await endpoint.store.put(partner.prefix + key, bytes(''));
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    const { s3, prefix } = partner;
    const input = { Bucket: bucket, Prefix: prefix, MaxKeys: 5_000 };
    const first = await s3.send(new ListObjectsV2Command(input));
    expect(first).toMatchObject({ KeyCount: 1_000, IsTruncated: true, MaxKeys: 1_000 });
    expect(await listAll(partner, {}, 1_000)).toEqual(keys);
  });

  test('in version 1 has markers', async () => {
    const { s3, prefix } = await partnerWith('a/1', 'a/2', 'b', 'c');
    const input = { Bucket: bucket, Prefix: prefix, Delimiter: '/', MaxKeys: 1 };
    const first = await s3.send(new ListObjectsCommand(input));
    expect(first).toMatchObject({
      CommonPrefixes: [{ Prefix: `${prefix}a/` }],
      IsTruncated: true,
      NextMarker: `${prefix}a/`,
    });
    const rest = await s3.send(
      new ListObjectsCommand({ ...input, MaxKeys: 10, Marker: first.NextMarker }),
    );
    expect(rest.Contents?.map(({ Key }) => Key)).toEqual([`${prefix}b`, `${prefix}c`]);
    expect(rest).toMatchObject({ IsTruncated: false, Marker: `${prefix}a/` });
  });

  test('encodes keys on request', async () => {
    const { s3, prefix } = await partnerWith('a\u0001 b/+é&<');
    const input = { Bucket: bucket, Prefix: prefix, EncodingType: 'url' as const };
    const { Contents, EncodingType } = await s3.send(new ListObjectsV2Command(input));
    expect(EncodingType).toBe('url');
    expect(Contents?.[0]?.Key).toBe(`${prefix}a%01%20b/%2B%C3%A9%26%3C`);
  });

  test.each([
    ['max-keys=-1', 'InvalidArgument'],
    ['max-keys=x', 'InvalidArgument'],
    ['list-type=2&continuation-token=%21', 'InvalidArgument'],
    ['list-type=2&continuation-token=AAAA', 'InvalidArgument'],
    ['encoding-type=gzip', 'InvalidArgument'],
  ])('with the parameter %s is refused', async (query, code) => {
    const { send, prefix } = await partnerWith();
    const answer = await send('GET', `/${bucket}?prefix=${prefix}&${query}`);
    expect(answer.code).toBe(code);
  });
});

test('open uploads are listed page by page, including several of one key', async () => {
  const { s3, prefix } = await endpoint.partner();
  const begun: string[] = [];
  for (const key of ['a', 'b', 'b', 'b', 'c/1', 'c/2', 'd']) {
    const input = { Bucket: bucket, Key: prefix + key };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(input));
    begun.push(`${prefix}${key} ${UploadId}`);
  }
  const list = async (MaxUploads: number, Delimiter?: string) => {
    const found: string[] = [];
    const folded: string[] = [];
    let markers = {};
    for (;;) {
      const page = await s3.send(
        new ListMultipartUploadsCommand({
          Bucket: bucket,
          Prefix: prefix,
          MaxUploads,
          Delimiter,
          ...markers,
        }),
      );
      found.push(...(page.Uploads ?? []).map(({ Key, UploadId }) => `${Key} ${UploadId}`));
      folded.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix!));
      if (!page.IsTruncated) return { found, folded };
      markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  };
  for (const pageSize of [1, 2, 100]) {
    expect((await list(pageSize)).found).toEqual(begun.toSorted());
    const { found, folded } = await list(pageSize, '/');
    expect(found).toHaveLength(5);
    expect(folded).toEqual([`${prefix}c/`]);
  }
});
