import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  content,
  type FreshDiskStore,
  freshDiskStore,
  plainHeaders,
  putParts,
} from '../../../support/disk-store.ts';

let store: FreshDiskStore;
beforeEach(async () => {
  store = await freshDiskStore();
});
afterEach(() => store[Symbol.asyncDispose]());

const begin = (key: string) => store.objects.beginUpload(key, plainHeaders);
const md5 = (text: string) => createHash('md5').update(text).digest();

describe('completing an upload', () => {
  test('joins its parts without copying files; the ETag is the MD5 of their MD5s', async () => {
    const headers = { contentType: 'text/csv', metadata: { a: 'b' } };
    const uploadId = await store.objects.beginUpload('x', headers);
    const listed = await putParts(store.objects, uploadId, ['one ', '', 'three']);
    const files = await store.files();
    expect(await store.objects.stat('x')).toBeUndefined();

    const digest = createHash('md5').update(md5('one ')).update(md5('')).update(md5('three'));
    expect(await store.objects.completeUpload(uploadId, listed)).toMatchObject({
      ...headers,
      key: 'x',
      size: 9,
      etag: `${digest.digest('hex')}-3`,
    });
    expect(await store.textAt('x')).toBe('one three');
    expect(await store.files()).toEqual(files);
    expect(await store.objects.findUpload(uploadId)).toBeUndefined();
  });

  test('joins the listed parts and drops the others and the old object', async () => {
    await store.objects.put('x', content('old'));
    const uploadId = await begin('x');
    const [first, , third] = await putParts(store.objects, uploadId, ['a', 'b', 'c']);
    await store.objects.completeUpload(uploadId, [first!, third!]);
    expect(await store.textAt('x')).toBe('ac');
    expect(await store.files()).toHaveLength(2);
  });

  test('joins parts by number, in whatever order they arrived', async () => {
    const uploadId = await begin('x');
    for (const partNumber of [10_000, 2, 9]) {
      await store.objects.putPart(uploadId, partNumber, content(`${partNumber} `));
    }
    const listed = await store.objects.listParts(uploadId, 0, 1_000);
    await store.objects.completeUpload(uploadId, listed);
    expect(await store.textAt('x')).toBe('2 9 10000 ');
  });

  test('is refused, and changes nothing, if the list does not match the parts', async () => {
    const uploadId = await begin('x');
    const [first, second] = await putParts(store.objects, uploadId, ['a', 'b']);
    const complete = (...listed: { partNumber: number; etag: string }[]) =>
      store.objects.completeUpload(uploadId, listed);
    expect(await complete()).toBe('invalid_part');
    expect(await complete(second!, first!)).toBe('invalid_part');
    expect(await complete(first!, first!)).toBe('invalid_part');
    expect(await complete(first!, { ...second!, etag: first!.etag })).toBe('invalid_part');
    expect(await complete(first!, { ...second!, partNumber: 3 })).toBe('invalid_part');
    expect(await store.objects.stat('x')).toBeUndefined();
    expect(await complete(first!, second!)).toMatchObject({ size: 2 });
  });

  test('works only once', async () => {
    const uploadId = await begin('x');
    const listed = await putParts(store.objects, uploadId, ['a']);
    await store.objects.completeUpload(uploadId, listed);
    expect(await store.objects.completeUpload(uploadId, listed)).toBe('no_such_upload');
    expect(await store.objects.abortUpload(uploadId)).toBe(false);
    expect(await store.objects.putPart(uploadId, 2, content('late'))).toBe('no_such_upload');
    expect(await store.textAt('x')).toBe('a');
    expect(await store.files()).toHaveLength(1);
  });
});

describe('a part', () => {
  test('is replaced by another with its number', async () => {
    const uploadId = await begin('x');
    await store.objects.putPart(uploadId, 1, content('old'));
    const part = await store.objects.putPart(uploadId, 1, content('newer'));
    expect(part).toEqual({ etag: md5('newer').toString('hex'), size: 5 });
    expect(await store.objects.listParts(uploadId, 0, 10)).toEqual([
      { partNumber: 1, modifiedAt: expect.any(Date), ...(part as object) },
    ]);
    expect(await store.files()).toHaveLength(1);
  });

  test('is dropped if its upload ends meanwhile', async () => {
    const uploadId = await begin('x');
    async function* slow() {
      yield Buffer.from('half');
      await store.objects.abortUpload(uploadId);
      yield Buffer.from('half');
    }
    expect(await store.objects.putPart(uploadId, 1, slow())).toBe('no_such_upload');
    expect(await store.files()).toEqual([]);
  });

  test('is listed after a number, up to a limit', async () => {
    const uploadId = await begin('x');
    await putParts(store.objects, uploadId, ['a', 'b', 'c', 'd']);
    const numbers = async (after: number, limit: number) =>
      (await store.objects.listParts(uploadId, after, limit)).map(({ partNumber }) => partNumber);
    expect(await numbers(0, 10)).toEqual([1, 2, 3, 4]);
    expect(await numbers(1, 2)).toEqual([2, 3]);
    expect(await numbers(4, 2)).toEqual([]);
  });
});

describe('an upload', () => {
  test('that is aborted loses its parts and no longer exists', async () => {
    await store.objects.put('x', content('old'));
    const uploadId = await begin('x');
    const listed = await putParts(store.objects, uploadId, ['a', 'b']);
    expect(await store.objects.abortUpload(uploadId)).toBe(true);
    expect(await store.objects.abortUpload(uploadId)).toBe(false);
    expect(await store.objects.completeUpload(uploadId, listed)).toBe('no_such_upload');
    expect(await store.objects.putPart(uploadId, 1, content('late'))).toBe('no_such_upload');
    expect(await store.textAt('x')).toBe('old');
    expect(await store.files()).toHaveLength(1);
  });

  test('is found only by its id', async () => {
    const headers = { contentType: 'text/csv', metadata: { a: 'b' } };
    const uploadId = await store.objects.beginUpload('x', headers);
    const found = { uploadId, key: 'x', headers, startedAt: expect.any(Date) };
    expect(await store.objects.findUpload(uploadId)).toEqual(found);
    for (const other of ['', 'x', '\0', `${uploadId}0`]) {
      expect(await store.objects.findUpload(other)).toBeUndefined();
    }
  });

  test('is listed by key, then id, after a position, within a prefix', async () => {
    const [b1, b2] = [await begin('u/b'), await begin('u/b')].sort();
    const a = await begin('u/a');
    for (const elsewhere of ['u', 'v']) await begin(elsewhere);
    const list = async (after: { key: string; uploadId: string } | null, limit = 10) =>
      (await store.objects.listUploads('u/', after, limit)).map(({ uploadId }) => uploadId);
    expect(await list(null)).toEqual([a, b1, b2]);
    expect(await list(null, 2)).toEqual([a, b1]);
    expect(await list({ key: 'u/b', uploadId: b1! })).toEqual([b2]);
    expect(await list({ key: 'u/a', uploadId: a })).toEqual([b1, b2]);
    expect(await list({ key: 'u/b', uploadId: b2! })).toEqual([]);
  });
});
