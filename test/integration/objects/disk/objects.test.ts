import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ObjectVersion, VersionGone } from '../../../../src/objects/port.ts';
import { bytesOf } from '../../../support/blobs.ts';
import {
  content,
  type FreshDiskStore,
  freshDiskStore,
  plainHeaders,
  putParts,
} from '../../../support/disk-store.ts';

let store: FreshDiskStore;
beforeAll(async () => {
  store = await freshDiskStore();
});
afterAll(() => store[Symbol.asyncDispose]());

async function putJoined(key: string, texts: readonly string[]): Promise<ObjectVersion> {
  const uploadId = await store.objects.beginUpload(key, plainHeaders);
  const joined = await store.objects.completeUpload(
    uploadId,
    await putParts(store.objects, uploadId, texts),
  );
  if (typeof joined === 'string') throw new Error(joined);
  return joined;
}

async function textOf(version: ObjectVersion, start: number, end: number): Promise<string> {
  return String(await bytesOf(store.objects.read(version, start, end)));
}

describe('an object', () => {
  test('has the MD5 of its bytes as its ETag, however they are split', async () => {
    const bytes = randomBytes(3_500_000);
    const chunks = [bytes.subarray(0, 10), Buffer.alloc(0), bytes.subarray(10, 2_500_000)];
    const stored = await store.objects.put('md5', content(...chunks, bytes.subarray(2_500_000)));
    expect(stored.etag).toBe(createHash('md5').update(bytes).digest('hex'));
    expect((await bytesOf(store.objects.open(stored, 0))).equals(bytes)).toBe(true);
  });

  test('keeps its headers and the time it was put at', async () => {
    const before = Date.now();
    const headers = { contentType: 'text/csv', metadata: { colour: 'grün', empty: '' } };
    const stored = await store.objects.put('headers', content('x'), headers);
    expect(stored).toMatchObject({ key: 'headers', size: 1, ...headers });
    expect(stored.modifiedAt.getTime()).toBeGreaterThanOrEqual(before - 1_000);
    expect(await store.objects.stat('headers')).toEqual(stored);
    const replaced = await store.objects.put('headers', content('y'));
    expect(replaced).toMatchObject({ contentType: 'binary/octet-stream', metadata: {} });
  });

  test('can be written in very many very small chunks', async () => {
    const bytes = randomBytes(20_000);
    const chunks = Array.from(bytes, (byte) => Buffer.of(byte));
    const stored = await store.objects.put('small chunks', content(...chunks));
    expect((await bytesOf(store.objects.open(stored, 0))).equals(bytes)).toBe(true);
  });
});

describe('listing', () => {
  test('continues after a key, within a prefix, up to a limit', async () => {
    const keys = ['l/', 'l/a', 'l/a/b', 'l/b', 'l/é', 'l/😀', 'l0'];
    for (const key of keys) await store.objects.put(key, content(''));
    const list = async (prefix: string, after: string, limit: number) =>
      (await store.objects.list(prefix, after, limit)).map(({ key }) => key);
    expect(await list('l/', '', 100)).toEqual(keys.slice(0, -1));
    expect(await list('l/', '', 2)).toEqual(['l/', 'l/a']);
    expect(await list('l/', 'l/a', 100)).toEqual(['l/a/b', 'l/b', 'l/é', 'l/😀']);
    expect(await list('l/', 'l/a\0', 1)).toEqual(['l/a/b']);
    expect(await list('l/', 'l/aa', 1)).toEqual(['l/b']);
    expect(await list('l/', 'l0', 100)).toEqual([]);
    expect(await list('l/\0', '', 100)).toEqual([]);
    expect(await list('l', 'l/b', 100)).toEqual(['l/é', 'l/😀', 'l0']);
  });
});

describe('reading', () => {
  test('returns any range, within and across the parts of an object', async () => {
    const text = '0123456789abc';
    for (const version of [
      await store.objects.put('range', content(text)),
      await putJoined('joined range', ['0123', '', '4', '56789abc']),
    ]) {
      for (let start = 0; start <= text.length; start++) {
        for (let end = start; end <= text.length; end++) {
          expect(await textOf(version, start, end)).toBe(text.slice(start, end));
        }
      }
    }
  });

  test('continues with an open blob although the object is deleted', async () => {
    const text = 'x'.repeat(3_000_000);
    const version = await store.objects.put('deleted', content(text));
    let read = '';
    for await (const chunk of store.objects.read(version, 0, version.size)) {
      if (read === '') await store.objects.delete(['deleted']);
      read += Buffer.from(chunk).toString('latin1');
    }
    expect(read).toBe(text);
    await expect(textOf(version, 0, 1)).rejects.toThrow(VersionGone);
    await expect(textOf(version, 0, 0)).rejects.toThrow(VersionGone);
  });

  test('throws VersionGone if the remaining parts were replaced', async () => {
    const version = await putJoined('replaced', ['old', 'old']);
    const reading = store.objects.read(version, 0, 6)[Symbol.asyncIterator]();
    expect(String((await reading.next()).value)).toBe('old');
    await store.objects.put('replaced', content('new'));
    await expect(reading.next()).rejects.toThrow(VersionGone);
  });

  test('continues if the same parts were put again', async () => {
    const version = await putJoined('again', ['one', 'two']);
    const reading = store.objects.read(version, 0, 6)[Symbol.asyncIterator]();
    expect(String((await reading.next()).value)).toBe('one');
    await putJoined('again', ['one', 'two']);
    expect(String((await reading.next()).value)).toBe('two');
    expect(await reading.next()).toMatchObject({ done: true });
  });
});

describe('a copy', () => {
  test('has its own bytes, and its source’s headers unless given others', async () => {
    const headers = { contentType: 'text/csv', metadata: { a: 'b' } };
    const source = await store.objects.put('source', content('bytes'), headers);
    const copy = await store.objects.copy(source, 'copy');
    expect(copy).toMatchObject({ ...headers, key: 'copy', etag: source.etag, size: 5 });
    expect(await store.objects.copy(source, 'typed', plainHeaders)).toMatchObject(plainHeaders);
    await store.objects.delete(['source']);
    expect(await store.textAt('copy')).toBe('bytes');
  });

  test('of a multipart object is a multipart object and replaces the target', async () => {
    await store.objects.put('target', content('old'));
    const copy = await store.objects.copy(await putJoined('parts', ['a', 'b', 'c']), 'target');
    expect(copy.etag).toMatch(/-3$/);
    expect(await store.textAt('target')).toBe('abc');
  });

  test('onto itself replaces only the headers', async () => {
    const own = await store.objects.put('self', content('bytes'));
    await store.objects.copy(own, 'self', plainHeaders);
    expect(await store.objects.stat('self')).toMatchObject({ ...plainHeaders, etag: own.etag });
    expect(await store.textAt('self')).toBe('bytes');
  });

  test('of a replaced version is refused', async () => {
    const old = await store.objects.put('versions', content('old'));
    await store.objects.put('versions', content('new'));
    await expect(store.objects.copy(old, 'late')).rejects.toThrow(VersionGone);
    expect(await store.objects.stat('late')).toBeUndefined();
  });
});

test('deleting ignores missing objects', async () => {
  const keys = ['d/1', 'd/2', 'd/3'];
  for (const key of keys) await store.objects.put(key, content(key));
  await store.objects.delete(['d/3', 'd/1', 'd/1', 'never there', 'a\0b']);
  await store.objects.delete([]);
  expect((await store.objects.list('d/', '', 10)).map(({ key }) => key)).toEqual(['d/2']);
});

test('the tests above left no blob without an object and no object without its blobs', async () => {
  const files = (await store.files()).map((file) => file.slice(-32)).sort();
  expect(await store.knownBlobs()).toEqual(files);
});
