import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { startMd5 } from './md5.ts';
import { createMd5Tasks } from './md5-tasks.ts';

const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

async function hashed(batches: readonly (readonly Uint8Array[])[]): Promise<string> {
  await using md5 = startMd5();
  for (const batch of batches) await md5.add(batch);
  return await md5.digest();
}

test.each([
  ['nothing', 0, 1],
  ['a small upload', 1_000, 1],
  ['a large upload in one batch', 3_000_000, 1],
  ['a large upload in several batches', 9_000_000, 4],
  ['small batches of tiny chunks', 50_000, 5],
])('%s', async (_, length, count) => {
  const bytes = randomBytes(length);
  const each = Math.ceil(length / count);
  const batches = Array.from({ length: length && count }, (_, n) => {
    const batch = bytes.subarray(n * each, (n + 1) * each);
    return [batch.subarray(0, 7), batch.subarray(7)];
  });
  expect(await hashed(batches)).toBe(md5Of(bytes));
});

test('uploads that arrive at the same time do not mix', async () => {
  const uploads = Array.from({ length: 8 }, (_, n) => Buffer.alloc(5_000_000, n));
  const digests = uploads.map((bytes) =>
    hashed([[bytes.subarray(0, 2_000_000)], [bytes.subarray(2_000_000)]]),
  );
  expect(await Promise.all(digests)).toEqual(uploads.map(md5Of));
});

test('a thread that did not hash the beginning refuses the rest', () => {
  const tasks = createMd5Tasks();
  tasks.add({ upload: 1, isFirst: true, bytes: Buffer.from('a') });
  tasks.forget({ upload: 1 });
  const rest = { upload: 1, isFirst: false, bytes: Buffer.from('b') };
  expect(() => tasks.add(rest)).toThrow('has ended');
  expect(() => tasks.digest({ upload: 1 })).toThrow('has ended');
});
