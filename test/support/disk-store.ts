import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type DiskStore, openDiskStore } from '../../src/objects/disk/disk-store.ts';
import { bytesOf, filesIn } from './blobs.ts';
import { type FreshRecords, freshRecords } from './database.ts';

export interface FreshDiskStore extends AsyncDisposable {
  readonly objects: DiskStore;
  readonly database: FreshRecords;
  readonly folder: string;
  /** The files of the store, sorted. */
  files(): Promise<string[]>;
  /** The names of the blobs that the index knows, sorted. */
  knownBlobs(): Promise<string[]>;
  /** Creates many empty objects at once, without files: they can be listed but not read. */
  fill(keys: readonly string[]): Promise<void>;
  /** The current content of the key; undefined if there is none. */
  textAt(key: string): Promise<string | undefined>;
}

export const plainHeaders = { contentType: 'text/plain', metadata: {} };

/** A new store, in `folder` if given. */
export async function freshDiskStore(folder?: string): Promise<FreshDiskStore> {
  await using setup = new AsyncDisposableStack();
  const database = setup.use(await freshRecords());
  const { objectIndex, uploads } = database.records;
  const path = folder ?? (await mkdtemp(join(tmpdir(), 'tributary-objects-')));
  if (folder === undefined) setup.defer(() => rm(path, { recursive: true }));
  const objects = await openDiskStore(path, objectIndex, uploads);
  const resources = setup.move();
  return {
    objects,
    database,
    folder: path,
    files: () => filesIn(path),
    async knownBlobs() {
      const { rows } = await sql<{ name: string }>`select name from blob order by name`.execute(
        database.db,
      );
      return rows.map(({ name }) => name);
    },
    async fill(keys) {
      await sql`
        insert into object (key, etag, size, content_type, metadata)
        select key, md5(''), 0, 'text/plain', '{}' from unnest(${keys}::text[]) as key
      `.execute(database.db);
    },
    async textAt(key) {
      const version = await objects.stat(key);
      return version && String(await bytesOf(objects.open(version, 0)));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export async function* content(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** Puts the texts as parts 1, 2 and so on, and returns the list that completes the upload. */
export async function putParts(objects: DiskStore, uploadId: string, texts: readonly string[]) {
  const listed: { partNumber: number; etag: string }[] = [];
  for (const [position, text] of texts.entries()) {
    const partNumber = position + 1;
    const part = await objects.putPart(uploadId, partNumber, content(text));
    if (part === 'no_such_upload') throw new Error(`unknown upload ${uploadId}`);
    listed.push({ partNumber, etag: part.etag });
  }
  return listed;
}
