import { randomBytes } from 'node:crypto';
import { rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDiskStore } from '../../../../src/objects/disk/disk-store.ts';
import { VersionGone } from '../../../../src/objects/port.ts';
import type { Database } from '../../../../src/records/database/connection.ts';
import type { ObjectIndex } from '../../../../src/records/objects/object-index.ts';
import type { Uploads } from '../../../../src/records/objects/uploads.ts';
import { bytesOf } from '../../../support/blobs.ts';
import {
  content,
  type FreshDiskStore,
  freshDiskStore,
  plainHeaders,
  putParts,
} from '../../../support/disk-store.ts';
import { eventually } from '../../../support/http.ts';
import { machineHas } from '../../../support/requirements.ts';
import { mountDisk } from '../../../support/small-disk.ts';

let store: FreshDiskStore;
beforeEach(async () => {
  store = await freshDiskStore();
});
afterEach(() => store[Symbol.asyncDispose]());

/** The same store with some operations of its records replaced. */
function storeWith(instead: { index?: Partial<ObjectIndex>; uploads?: Partial<Uploads> }) {
  const { objectIndex, uploads } = store.database.records;
  return openDiskStore(
    store.folder,
    { ...objectIndex, ...instead.index },
    { ...uploads, ...instead.uploads },
  );
}

const unavailable = () => Promise.reject(new Error('database unavailable'));

async function* broken() {
  yield Buffer.from('half');
  throw new Error('client disconnected');
}

/** Copies each chunk as late as a store allows: when the second one after it is about to be requested. */
async function copyLate(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const copies: Buffer[] = [];
  let last: Uint8Array = Buffer.alloc(0);
  for await (const chunk of chunks) {
    await turnOfLoop();
    copies.push(Buffer.from(last));
    last = chunk;
  }
  return Buffer.concat([...copies, last]);
}

describe('blobs', () => {
  test('are read into memory that others use only after it was read', async () => {
    const contents = Array.from({ length: 4 }, () => randomBytes(2_500_000));
    const versions = await Promise.all(
      contents.map((bytes, i) => store.objects.put(String(i), content(bytes))),
    );
    const readers = versions.map(async (version, i) => {
      for (let round = 0; round < 5; round++) {
        const bytes = await copyLate(store.objects.open(version, 0));
        expect(bytes.equals(contents[i]!)).toBe(true);
      }
    });
    await Promise.all(readers);
  });

  test('have random names, whatever the key, and only their owner can read them', async () => {
    await store.objects.put('../../escape', content('x'));
    await store.objects.put('/etc/passwd', content('y'));
    const files = await store.files();
    expect(files).toHaveLength(2);
    for (const file of files) {
      expect(file.slice(store.folder.length)).toMatch(/^\/([0-9a-f]{2})\/\1[0-9a-f]{30}$/);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
  });

  test('are removed when their object is replaced or deleted', async () => {
    await store.objects.put('x', content('old'));
    await store.objects.put('x', content('new'));
    expect(await store.files()).toHaveLength(1);
    await store.objects.delete(['x']);
    expect(await store.files()).toEqual([]);
  });

  test('of an interrupted put or part are removed', async () => {
    const uploadId = await store.objects.beginUpload('x', plainHeaders);
    await expect(store.objects.put('x', broken())).rejects.toThrow('client disconnected');
    await expect(store.objects.putPart(uploadId, 1, broken())).rejects.toThrow(
      'client disconnected',
    );
    expect(await store.files()).toEqual([]);
    expect(await store.objects.listParts(uploadId, 0, 10)).toEqual([]);
  });

  test('that are lost cause another error than a replaced version', async () => {
    const version = await store.objects.put('x', content('x'));
    const [blob] = await store.files();
    await rename(blob!, `${blob}.lost`);
    // On VersionGone a reader stats again and starts over, which would loop endlessly here.
    for (const using of [
      bytesOf(store.objects.open(version, 0)),
      store.objects.copy(version, 'copy'),
    ]) {
      await expect(using).rejects.not.toBeInstanceOf(VersionGone);
      await expect(using).rejects.toThrow('the bytes of object x are missing');
    }
  });

  test('that are truncated cause an error', async () => {
    const version = await store.objects.put('x', content('0123456789'));
    const [blob] = await store.files();
    await truncate(blob!, 4);
    await expect(bytesOf(store.objects.open(version, 0))).rejects.toThrow('6 bytes are missing');
    await expect(bytesOf(store.objects.open(version, 7))).rejects.toThrow('3 bytes are missing');
  });
});

describe('when the commit fails', () => {
  test('the blob is removed if it is unreferenced', async () => {
    const uploadId = await store.objects.beginUpload('x', plainHeaders);
    const objects = await storeWith({
      index: { replace: unavailable },
      uploads: { replacePart: unavailable },
    });
    await expect(objects.put('x', content('x'))).rejects.toThrow('unavailable');
    await expect(objects.putPart(uploadId, 1, content('x'))).rejects.toThrow('unavailable');
    await eventually(async () => expect(await store.files()).toEqual([]));
  });

  test('the blob stays if only the reply was lost', async () => {
    const { objectIndex, uploads } = store.database.records;
    const uploadId = await store.objects.beginUpload('y', plainHeaders);
    const objects = await storeWith({
      index: { replace: (...entry) => objectIndex.replace(...entry).then(unavailable) },
      uploads: { replacePart: (...part) => uploads.replacePart(...part).then(unavailable) },
    });
    await expect(objects.put('x', content('kept'))).rejects.toThrow('unavailable');
    await expect(objects.putPart(uploadId, 1, content('part'))).rejects.toThrow('unavailable');
    expect(await store.textAt('x')).toBe('kept');
    expect(await store.files()).toHaveLength(2);
  });

  test('the blob stays while its commit may still be running', async () => {
    const { db, records } = store.database;
    const late = Promise.withResolvers<void>();
    const objects = await storeWith({
      index: {
        async replace(object, blobs) {
          const written = Promise.withResolvers<void>();
          const committing = records.inTransaction(async (tx) => {
            await tx.objectIndex.replace(object, blobs);
            written.resolve();
            await untilWaitedFor(db, blobs[0]!.name);
          });
          committing.then(late.resolve, late.reject);
          await written.promise;
          return unavailable();
        },
      },
    });
    await expect(objects.put('x', content('kept'))).rejects.toThrow('unavailable');
    await late.promise;
    expect(await store.textAt('x')).toBe('kept');
  });

  test('the blob stays if the outcome is unknown', async () => {
    const objects = await storeWith({ index: { replace: unavailable, hasOwner: unavailable } });
    await expect(objects.put('x', content('x'))).rejects.toThrow('unavailable');
    expect(await store.files()).toHaveLength(1);
  });
});

test.each(['', '\0', 'a\0b', 'x'.repeat(1_025), 'é'.repeat(513), 'lone \ud800 surrogate'])(
  'the key %j is refused and never found',
  async (key) => {
    const refusal = { code: 'invalid_input' };
    const version = await store.objects.put('x', content('x'));
    await expect(store.objects.put(key, content('x'))).rejects.toMatchObject(refusal);
    await expect(store.objects.copy(version, key)).rejects.toMatchObject(refusal);
    await expect(store.objects.beginUpload(key, plainHeaders)).rejects.toMatchObject(refusal);
    expect(await store.objects.stat(key)).toBeUndefined();
    await store.objects.delete([key]);
    expect(await store.objects.list('', '', 10)).toEqual([version]);
  },
);

test('a store without its folder is not ready', async () => {
  const { objectIndex, uploads } = store.database.records;
  const folder = join(store.folder, 'objects');
  const objects = await openDiskStore(folder, objectIndex, uploads);
  await objects.checkReady();
  await rm(folder, { recursive: true });
  await expect(objects.checkReady()).rejects.toThrow('ENOENT');
});

describe.runIf(machineHas('root'))('a full disk', () => {
  test('refuses puts, parts and copies, and keeps existing objects', async () => {
    await using disk = await mountDisk('size=1m');
    await using small = await freshDiskStore(disk.path);
    const { objects } = small;
    const full = { code: 'storage_full' };
    const tooMuch = () => content(...Array.from({ length: 30 }, () => 'x'.repeat(65_536)));
    await objects.put('x', content('old'));
    const large = await objects.put('large', content('l'.repeat(600_000)));
    const uploadId = await objects.beginUpload('x', plainHeaders);
    const listed = await putParts(objects, uploadId, ['part']);
    const before = await small.files();

    await expect(objects.put('x', tooMuch())).rejects.toMatchObject(full);
    await expect(objects.put('x', content('x'.repeat(2_000_000)))).rejects.toMatchObject(full);
    await expect(objects.putPart(uploadId, 1, tooMuch())).rejects.toMatchObject(full);
    await expect(objects.copy(large, 'x')).rejects.toMatchObject(full);
    expect(await small.files()).toEqual(before);
    expect(await small.textAt('x')).toBe('old');

    await objects.completeUpload(uploadId, listed);
    expect(await small.textAt('x')).toBe('part');
    await objects.delete(['large']);
    await objects.put('y', content('y'.repeat(600_000)));
  });
});

/** Waits until another connection waits for the transaction that commits this blob. */
async function untilWaitedFor(db: Database, blob: string): Promise<void> {
  for (let waiting = 0; waiting === 0; ) {
    const { rows } = await sql`
      select from pg_locks
      where locktype = 'advisory' and not granted
        and (classid::bigint << 32 | objid::bigint) = hashtextextended(${blob}, 0)
    `.execute(db);
    waiting = rows.length;
  }
}
