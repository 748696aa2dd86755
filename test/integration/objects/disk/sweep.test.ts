import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTrash } from '../../../../src/data-dir/trash.ts';
import type { Trash } from '../../../../src/domain/trash.ts';
import {
  content,
  type FreshDiskStore,
  freshDiskStore,
  plainHeaders,
  putParts,
} from '../../../support/disk-store.ts';

const hour = 3_600_000;
const nothing = { blobs: 0, bytes: 0, trashed: 0, expired: 0 };

let store: FreshDiskStore;
let trash: Trash;
beforeEach(async () => {
  store = await freshDiskStore();
  trash = openTrash(store.folder, 7);
});
afterEach(() => store[Symbol.asyncDispose]());

async function leaveFile(name: string, text: string): Promise<string> {
  const path = join(store.folder, name.slice(0, 2), name);
  await mkdir(join(store.folder, name.slice(0, 2)), { recursive: true });
  await writeFile(path, text);
  return path;
}

async function makeOld(path: string, ageMs: number): Promise<void> {
  const time = new Date(Date.now() - ageMs);
  await utimes(path, time, time);
}

test('an unknown blob is moved to the trash after the grace period', async () => {
  const young = await leaveFile('aa'.repeat(16), 'being written');
  const old = await leaveFile('bb'.repeat(16), 'left behind');
  await makeOld(young, hour - 60_000);
  await makeOld(old, hour + 60_000);
  expect(await store.objects.sweep(hour, trash)).toEqual({ ...nothing, trashed: 1 });
  const [, trashed] = await store.files();
  expect(await store.files()).toEqual([young, expect.stringContaining(join('trash', ''))]);
  expect(await readFile(trashed!, 'utf8')).toBe('left behind');
  expect(await store.objects.sweep(hour, trash)).toEqual(nothing);
});

test('blobs of objects and of parts stay, however old', async () => {
  await store.objects.put('x', content('object'));
  const uploadId = await store.objects.beginUpload('y', plainHeaders);
  const listed = await putParts(store.objects, uploadId, ['one', 'two']);
  for (const file of await store.files()) await makeOld(file, 1_000 * hour);
  expect(await store.objects.sweep(hour, trash)).toEqual(nothing);
  await store.objects.completeUpload(uploadId, listed);
  expect(await store.objects.sweep(hour, trash)).toEqual(nothing);
  expect(await store.textAt('x')).toBe('object');
  expect(await store.textAt('y')).toBe('onetwo');
});

test('a blob that is being written during the sweep stays and becomes an object', async () => {
  const begun = Promise.withResolvers<void>();
  const swept = Promise.withResolvers<void>();
  async function* slow() {
    yield Buffer.from('first ');
    begun.resolve();
    await swept.promise;
    yield Buffer.from('second');
  }
  const putting = store.objects.put('x', slow());
  await begun.promise;
  expect(await store.objects.sweep(hour, trash)).toEqual(nothing);
  swept.resolve();
  await putting;
  expect(await store.textAt('x')).toBe('first second');
});

test('uploads older than a week are aborted and their parts removed', async () => {
  const [old, young] = [
    await store.objects.beginUpload('old', plainHeaders),
    await store.objects.beginUpload('young', plainHeaders),
  ];
  await putParts(store.objects, old, ['four', 'five']);
  await putParts(store.objects, young, ['kept']);
  await sql`
    update upload set started_at = now() - case upload_id
      when ${old} then interval '7 days 1 minute' else interval '6 days 23 hours' end
  `.execute(store.database.db);
  expect(await store.objects.sweep(hour, trash)).toEqual({ ...nothing, blobs: 2, bytes: 8 });
  expect(await store.objects.findUpload(old)).toBeUndefined();
  expect(await store.objects.listParts(young, 0, 10)).toHaveLength(1);
  expect(await store.files()).toHaveLength(1);
});

test('after the clock was set back, an unknown blob is kept for the grace period from now', async () => {
  const blob = await leaveFile('aa'.repeat(16), 'left behind');
  await makeOld(blob, -1_000 * hour);
  expect(await store.objects.sweep(hour, trash)).toEqual(nothing);
  expect((await stat(blob)).mtimeMs).toBeLessThanOrEqual(Date.now());
});

test('files that are not blobs are left alone', async () => {
  const others = [
    await leaveFile('notes.txt', 'x'),
    await leaveFile(`${'ab'.repeat(16)}.tmp`, 'x'),
    await leaveFile('AB'.repeat(16), 'x'),
  ].sort();
  for (const file of others) await makeOld(file, 1_000 * hour);
  await writeFile(join(store.folder, 'README'), 'x');
  expect(await store.objects.sweep(hour, trash)).toEqual(nothing);
  expect(await store.files()).toEqual([...others, join(store.folder, 'README')].sort());
});

test('the blob of an object that was deleted by a process that died is deleted, not trashed', async () => {
  await store.objects.put('x', content('deleted'));
  await store.database.records.objectIndex.remove(['x']);
  expect(await store.files()).toHaveLength(1);
  expect(await store.objects.sweep(hour, trash)).toEqual({ ...nothing, blobs: 1, bytes: 7 });
  expect(await store.files()).toEqual([]);
  expect(await store.database.records.objectIndex.removedBlobs(10)).toEqual([]);
});

test('two concurrent sweeps move all unknown blobs', async () => {
  for (let n = 0; n < 50; n++) {
    await makeOld(await leaveFile(n.toString(16).padStart(32, '0'), 'x'), 2 * hour);
  }
  await Promise.all([store.objects.sweep(hour, trash), store.objects.sweep(hour, trash)]);
  const files = await store.files();
  expect(files).toHaveLength(50);
  expect(files.every((file) => file.includes('/trash/'))).toBe(true);
});
