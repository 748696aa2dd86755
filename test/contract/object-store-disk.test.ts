import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDiskStore } from '../../src/objects/disk/disk-store.ts';
import { VersionGone } from '../../src/objects/port.ts';
import type { ObjectIndex } from '../../src/records/object-index.ts';
import { bytesOf, filesIn } from '../support/blobs.ts';
import { type FreshRecords, freshRecords } from '../support/database.ts';
import { machineHas } from '../support/requirements.ts';
import { mountDisk } from '../support/small-disk.ts';
import { describeObjectStore } from './object-store.ts';

describeObjectStore('disk', async () => {
  const fresh = await freshRecords();
  const folder = await mkdtemp(join(tmpdir(), 'tributary-objects-'));
  return {
    objects: await openDiskStore(join(folder, 'objects'), fresh.records.objectIndex),
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true });
      await fresh[Symbol.asyncDispose]();
    },
  };
});

describe('the disk store', () => {
  let fresh: FreshRecords;
  let index: ObjectIndex;
  let folder: string;
  beforeEach(async () => {
    fresh = await freshRecords();
    index = fresh.records.objectIndex;
    folder = await mkdtemp(join(tmpdir(), 'tributary-objects-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
    await fresh[Symbol.asyncDispose]();
  });

  async function* content(text: string) {
    yield Buffer.from(text);
  }

  test('keeps a blob for each object, named by chance and readable by its owner only', async () => {
    const objects = await openDiskStore(folder, index);
    await objects.put('../../escape', content('x'));
    await objects.put('/etc/passwd', content('y'));
    const files = await filesIn(folder);
    expect(files).toHaveLength(2);
    for (const file of files) {
      expect(file.slice(folder.length)).toMatch(/^\/([0-9a-f]{2})\/\1[0-9a-f]{30}$/);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
  });

  test('lets go of the blob of whoever was replaced, however many put at once', async () => {
    const objects = await openDiskStore(folder, index);
    for (let round = 0; round < 5; round++) {
      const key = `contended-${round}`;
      await Promise.all(Array.from({ length: 8 }, (_, n) => objects.put(key, content(String(n)))));
      expect(await filesIn(folder)).toHaveLength(round + 1);
    }
  });

  test('leaves no blob of a put that broke off', async () => {
    const objects = await openDiskStore(folder, index);
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('gone');
    }
    await expect(objects.put('x', broken())).rejects.toThrow('gone');
    expect(await filesIn(folder)).toEqual([]);
  });

  describe('when the index fails', () => {
    test('removes the blob if the index does not have it, a new key’s too', async () => {
      const failing = { ...index, replace: () => Promise.reject(new Error('no room')) };
      const objects = await openDiskStore(folder, failing);
      await expect(objects.put('new', content('x'))).rejects.toThrow('no room');
      expect(await filesIn(folder)).toEqual([]);
    });

    test('keeps the blob if the index has it after all', async () => {
      const lossy: ObjectIndex = {
        ...index,
        async replace(entry) {
          await index.replace(entry);
          throw new Error('the answer was lost');
        },
      };
      const objects = await openDiskStore(folder, lossy);
      await expect(objects.put('x', content('kept'))).rejects.toThrow('the answer was lost');
      const version = await objects.stat('x');
      expect(String(await bytesOf(objects.open(version!, 0)))).toBe('kept');
    });

    test('keeps the blob if nobody can tell', async () => {
      const away = () => Promise.reject(new Error('away'));
      const objects = await openDiskStore(folder, { ...index, replace: away, find: away });
      await expect(objects.put('x', content('kept'))).rejects.toThrow('away');
      expect(await filesIn(folder)).toHaveLength(1);
    });
  });

  test('finds objects by the thousands, each once and in order', async () => {
    await sql`
      insert into object (key, etag, size, blob)
      select 'p/' || lpad(number::text, 5, '0'), 'e', 0, 'b' || number
      from generate_series(1, 3000) as number
    `.execute(fresh.db);
    await sql`insert into object (key, etag, size, blob) values ('q', 'e', 0, 'q')`.execute(
      fresh.db,
    );
    const objects = await openDiskStore(folder, index);
    const keys: string[] = [];
    for await (const version of objects.find('p/')) keys.push(version.key);
    expect(keys).toEqual(
      Array.from({ length: 3000 }, (_, n) => `p/${String(n + 1).padStart(5, '0')}`),
    );
  });

  test('tells lost bytes from a version that was replaced', async () => {
    const objects = await openDiskStore(folder, index);
    const version = await objects.put('x', content('x'));
    const [blob] = await filesIn(folder);
    await rename(blob!, `${blob}.lost`);
    // Were this VersionGone, whoever stats again and starts over would do so forever.
    const reading = bytesOf(objects.open(version, 0));
    await expect(reading).rejects.not.toBeInstanceOf(VersionGone);
    await expect(reading).rejects.toThrow('the bytes of object x are missing');
  });

  test('is not ready without its folder', async () => {
    const objects = await openDiskStore(join(folder, 'objects'), index);
    await objects.checkReady();
    await rm(join(folder, 'objects'), { recursive: true });
    await expect(objects.checkReady()).rejects.toThrow('ENOENT');
  });

  test.runIf(machineHas('root'))(
    'on a full disk keeps what was there and says it is full',
    async () => {
      await using disk = await mountDisk('size=1m');
      const objects = await openDiskStore(disk.path, index);
      const old = await objects.put('x', content('old'));
      const before = await filesIn(disk.path);
      await expect(objects.put('x', content('x'.repeat(2_000_000)))).rejects.toMatchObject({
        code: 'storage_full',
      });
      expect(await filesIn(disk.path)).toEqual(before);
      expect(String(await bytesOf(objects.open(old, 0)))).toBe('old');
      await objects.put('y', content('there is room again'));
    },
  );
});
