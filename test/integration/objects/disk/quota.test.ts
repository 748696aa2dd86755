import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DiskStore, openDiskStore } from '../../../../src/objects/disk/disk-store.ts';
import {
  migrationFiles,
  migrationsFolder,
} from '../../../../src/records/database/schema-version.ts';
import {
  content,
  type FreshDiskStore,
  freshDiskStore,
  plainHeaders,
} from '../../../support/disk-store.ts';

let store: FreshDiskStore;
let acme: { partnerId: number; prefix: string };
/** Two stores over the same files and records, as two processes have them. */
let stores: DiskStore[];

beforeEach(async () => {
  store = await freshDiskStore();
  const { records } = store.database;
  acme = await records.partners.create('acme');
  stores = [store.objects, await openDiskStore(store.folder, records.objectIndex, records.uploads)];
});
afterEach(() => store[Symbol.asyncDispose]());

async function used(partnerId = acme.partnerId): Promise<number> {
  return (await store.database.records.storageUses.of(partnerId)).bytes;
}

/** A count of the blobs themselves. */
async function recounted(prefix = acme.prefix): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size), 0)::bigint as bytes from blob left join upload using (upload_id)
    where starts_with(coalesce(upload.key, blob.key), ${prefix})
  `.execute(store.database.db);
  return rows[0]!.bytes;
}

async function expectNothingLeft(): Promise<void> {
  const files = (await store.files()).map((file) => file.slice(-32)).sort();
  expect(files).toEqual(await store.knownBlobs());
}

const quotaOf = (bytes: number | null) =>
  store.database.records.partners.setStorageQuota(acme.partnerId, bytes);
const refused = { code: 'quota_exceeded' };

describe('the bytes of a partner', () => {
  test('are exact after concurrent puts, replacements, copies, deletes, parts, completes and aborts', async () => {
    const globex = await store.database.records.partners.create('globex');
    let random = 1;
    const upTo = (n: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % n;
    };
    const act = async (step: number) => {
      const objects = stores[step % 2]!;
      const key = `${upTo(4) === 0 ? globex.prefix : acme.prefix}${upTo(5)}`;
      const text = 'x'.repeat(upTo(300));
      const kind = upTo(7);
      if (kind < 2) return objects.put(key, content(text));
      if (kind === 2) return objects.delete([key, `${globex.prefix}0`, `${acme.prefix}0`]);
      if (kind === 3) {
        const source = await objects.stat(key);
        return source && objects.copy(source, `${acme.prefix}copy`);
      }
      if (kind === 4) return objects.put(key, content(text), undefined, 'no_object');
      const uploadId = await objects.beginUpload(key, plainHeaders);
      await objects.putPart(uploadId, 1, content(text));
      const part = await objects.putPart(uploadId, 1, content(`${text}!`));
      await objects.putPart(uploadId, 2, content('unlisted'));
      if (kind === 5) return objects.abortUpload(uploadId);
      if (part === 'no_such_upload' || upTo(3) === 0) return;
      return objects.completeUpload(uploadId, [{ partNumber: 1, etag: part.etag }]);
    };
    for (let round = 0; round < 8; round++) {
      await Promise.allSettled(Array.from({ length: 16 }, (_, i) => act(round * 16 + i)));
      expect(await used()).toBe(await recounted());
      expect(await used(globex.partnerId)).toBe(await recounted(globex.prefix));
    }
    expect(await used()).toBeGreaterThan(0);
    await expectNothingLeft();
  });

  test('are counted by the migration for what is already stored', async () => {
    const { db } = store.database;
    await store.objects.put(`${acme.prefix}x`, content('stored'));
    await store.objects.put('elsewhere/x', content('of no partner'));
    const uploadId = await store.objects.beginUpload(`${acme.prefix}y`, plainHeaders);
    await store.objects.putPart(uploadId, 1, content('part'));
    await sql`truncate storage_use`.execute(db);
    const name = migrationFiles.find((file) => file.endsWith('storage-quota.sql'))!;
    const migration = await readFile(new URL(name, migrationsFolder), 'utf8');
    await sql.raw(migration.slice(migration.indexOf('insert into storage_use'))).execute(db);
    expect(await used()).toBe(10);
  });

  test('do not count what failed', async () => {
    async function* broken() {
      yield Buffer.from('some');
      throw new Error('client disconnected');
    }
    await expect(store.objects.put(`${acme.prefix}x`, broken())).rejects.toThrow();
    expect(await used()).toBe(0);
    await expectNothingLeft();
  });
});

describe('a quota', () => {
  test('is never exceeded, however many processes store at the same time', async () => {
    await quotaOf(1_000);
    const puts = Array.from({ length: 16 }, (_, i) =>
      stores[i % 2]!.put(`${acme.prefix}${i}`, content('x'.repeat(150))),
    );
    const results = await Promise.allSettled(puts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject(refused);
    }
    expect(await used()).toBe(900);
    expect(await recounted()).toBe(900);
    await expectNothingLeft();
  });

  test('counts parts, and completing an upload needs no more', async () => {
    await quotaOf(100);
    const [objects] = stores as [DiskStore];
    const uploadId = await objects.beginUpload(`${acme.prefix}x`, plainHeaders);
    const part = await objects.putPart(uploadId, 1, content('x'.repeat(100)));
    await expect(objects.putPart(uploadId, 2, content('x'))).rejects.toMatchObject(refused);
    if (part === 'no_such_upload') throw new Error(part);
    await objects.completeUpload(uploadId, [{ partNumber: 1, etag: part.etag }]);
    await expect(objects.put(`${acme.prefix}y`, content('y'))).rejects.toMatchObject(refused);
    expect(await objects.stat(`${acme.prefix}y`)).toBeUndefined();
    await objects.delete([`${acme.prefix}x`]);
    await objects.put(`${acme.prefix}y`, content('y'));
    expect(await used()).toBe(1);
    await expectNothingLeft();
  });

  test('that is lowered deletes nothing, and one that is removed lets everything in', async () => {
    await store.objects.put(`${acme.prefix}x`, content('x'.repeat(100)));
    await quotaOf(10);
    await expect(store.objects.put(`${acme.prefix}y`, content('y'))).rejects.toMatchObject(refused);
    expect(await store.textAt(`${acme.prefix}x`)).toHaveLength(100);
    await quotaOf(null);
    await store.objects.put(`${acme.prefix}y`, content('y'));
    expect(await used()).toBe(101);
  });

  test('also counts bytes that are reserved, until they are released', async () => {
    await quotaOf(100);
    const key = `${acme.prefix}x`;
    const first = await store.objects.reserve(key, 60);
    await expect(store.objects.reserve(key, 41)).rejects.toMatchObject(refused);
    const second = await store.objects.reserve(key, 40);
    first[Symbol.dispose]();
    second[Symbol.dispose]();
    await store.objects.put(key, content('x'.repeat(30)));
    await expect(store.objects.reserve(key, 71)).rejects.toMatchObject(refused);
    (await store.objects.reserve(key, 70))[Symbol.dispose]();
  });
});

test('a partner has a limited number of open uploads', async () => {
  const mostOpen = 3;
  const { objectIndex, uploads } = store.database.records;
  const objects = await openDiskStore(store.folder, objectIndex, uploads, undefined, mostOpen);
  const begin = () => objects.beginUpload(`${acme.prefix}x`, plainHeaders);
  const begun = await Promise.allSettled(Array.from({ length: 8 }, begin));
  const open = begun.filter((result) => result.status === 'fulfilled');
  expect(open).toHaveLength(mostOpen);
  const { openUploads } = await store.database.records.storageUses.of(acme.partnerId);
  expect(openUploads).toBe(mostOpen);
  await expect(begin()).rejects.toMatchObject(refused);
  await objects.abortUpload(open[0]!.value);
  await begin();
  const globex = await store.database.records.partners.create('globex');
  await objects.beginUpload(`${globex.prefix}x`, plainHeaders);
});
