import { sql } from 'kysely';
import { atomically, type Database } from '../database/connection.ts';
import { beforeNul, keysBeginningWith } from './key-range.ts';

/** What the embedded store says of an object that is about to be. */
export interface NewObject {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

interface ObjectEntry extends NewObject {
  readonly modifiedAt: Date;
}

/** A file of the embedded store, never changed after it was written. */
export interface BlobEntry {
  readonly name: string;
  readonly size: number;
  readonly etag: string;
}

/** An object that took its place, and the blobs of the one it took it from: nobody's now. */
export interface Placed {
  readonly object: ObjectEntry;
  readonly displaced: string[];
}

/** Which objects the embedded store holds, and in which blobs their bytes are. */
export interface ObjectIndex {
  find(key: string): Promise<ObjectEntry | undefined>;
  /** Objects whose key begins with the prefix and comes after `after`, in byte order. */
  list(prefix: string, after: string, limit: number): Promise<ObjectEntry[]>;
  /** The blobs of that version, in order; none if it is not there. */
  blobsOf(version: { readonly key: string; readonly etag: string }): Promise<BlobEntry[]>;
  /** Makes the blobs, in this order, an object, in the place of the one with its key. */
  replace(object: NewObject, blobs: readonly BlobEntry[]): Promise<Placed>;
  /** Removes the objects that are there, and returns their blobs. */
  remove(keys: readonly string[]): Promise<string[]>;
  /** Which of the blobs have an owner. */
  owned(blobs: readonly string[]): Promise<Set<string>>;
  /** Whether the blob has an owner, once every commit under way that names it first is over. */
  hasOwner(blob: string): Promise<boolean>;
  totals(): Promise<{ objects: number; bytes: number }>;
}

export function createObjectIndex(db: Database): ObjectIndex {
  return {
    async find(key) {
      if (key.includes('\0')) return undefined;
      const row = await db
        .selectFrom('object')
        .selectAll()
        .where('key', '=', key)
        .executeTakeFirst();
      return row && objectEntry(row);
    },

    async list(prefix, after, limit) {
      if (prefix.includes('\0')) return [];
      const { from, to } = keysBeginningWith(prefix);
      const rows = await db
        .selectFrom('object')
        .selectAll()
        .where('key', '>=', from)
        .where('key', '>', beforeNul(after))
        .$if(to !== null, (query) => query.where('key', '<', to))
        .orderBy('key')
        .limit(limit)
        .execute();
      return rows.map(objectEntry);
    },

    blobsOf: ({ key, etag }) =>
      db
        .selectFrom('blob')
        .innerJoin('object', 'object.key', 'blob.key')
        .select(['blob.name', 'blob.size', 'blob.etag'])
        .where('object.key', '=', key)
        .where('object.etag', '=', etag)
        .orderBy('blob.position')
        .execute(),

    replace: (object, blobs) =>
      atomically(db, async (tx) => {
        await announceBlob(tx, blobs[0]!.name);
        const placed = await placeObject(tx, object);
        await sql`
          insert into blob (key, name, size, etag, position)
          select ${object.key}, name, size, etag, position
          from unnest(
            ${blobs.map((blob) => blob.name)}::text[],
            ${blobs.map((blob) => blob.size)}::bigint[],
            ${blobs.map((blob) => blob.etag)}::text[]
          ) with ordinality as given (name, size, etag, position)
        `.execute(tx);
        return placed;
      }),

    remove: (keys) =>
      atomically(db, async (tx) => {
        const possible = keys.filter((key) => !key.includes('\0'));
        // In key order, so that two removals never wait for each other in a circle.
        const { rows } = await sql<{ key: string }>`
          select key from object where key = any(${possible}) order by key for update
        `.execute(tx);
        const there = rows.map(({ key }) => key);
        // Only now, with the objects locked: a statement sees what was committed before it began.
        const blobs = await removeBlobs(tx, 'key', there);
        await sql`delete from object where key = any(${there})`.execute(tx);
        return blobs;
      }),

    async owned(blobs) {
      const { rows } = await sql<{ name: string }>`
        select name from blob where name = any(${[...blobs]})
      `.execute(db);
      return new Set(rows.map(({ name }) => name));
    },

    hasOwner: (blob) =>
      atomically(db, async (tx) => {
        await announceBlob(tx, blob);
        const row = await tx
          .selectFrom('blob')
          .select('name')
          .where('name', '=', blob)
          .executeTakeFirst();
        return row !== undefined;
      }),

    async totals() {
      const row = await db
        .selectFrom('object')
        .select((eb) => [
          eb.fn.countAll<number>().as('objects'),
          eb.fn.coalesce(eb.fn.sum<number>('size'), eb.lit(0)).as('bytes'),
        ])
        .executeTakeFirstOrThrow();
      return { objects: row.objects, bytes: Number(row.bytes) };
    },
  };
}

/**
 * Puts the object, still without blobs, in the place of the one with its key. Its row stays locked
 * until the commit, the row of a new key too, so the blobs that lose their place are returned to
 * exactly one of those who write to a key at once.
 */
export async function placeObject(tx: Database, object: NewObject): Promise<Placed> {
  const row = await tx
    .insertInto('object')
    .values({
      key: object.key,
      etag: object.etag,
      size: object.size,
      content_type: object.contentType,
      metadata: JSON.stringify(object.metadata),
    })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        etag: eb.ref('excluded.etag'),
        size: eb.ref('excluded.size'),
        content_type: eb.ref('excluded.content_type'),
        metadata: eb.ref('excluded.metadata'),
        modified_at: eb.ref('excluded.modified_at'),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return { object: objectEntry(row), displaced: await removeBlobs(tx, 'key', [object.key]) };
}

/**
 * Held until the commit, so that whoever lost the answer to it can wait for its end and then see
 * whether the blob has an owner.
 */
export async function announceBlob(tx: Database, blob: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${blob}, 0))`.execute(tx);
}

/** Ends the ownership of all blobs of these objects or uploads, and returns the blobs. */
export async function removeBlobs(
  tx: Database,
  owner: 'key' | 'upload_id',
  owners: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    delete from blob where ${sql.ref(owner)} = any(${[...owners]}) returning name
  `.execute(tx);
  return rows.map(({ name }) => name);
}

interface ObjectRow {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly content_type: string;
  readonly metadata: Record<string, string>;
  readonly modified_at: Date;
}

function objectEntry({ content_type, modified_at, ...row }: ObjectRow): ObjectEntry {
  return { ...row, contentType: content_type, modifiedAt: modified_at };
}
