import { type RawBuilder, sql } from 'kysely';
import { redactSecrets } from '../../domain/redaction.ts';
import {
  type AuditChange,
  type AuditedWrite,
  insertAuditEntry,
} from '../database/audit-entries.ts';
import { atomically, type Database } from '../database/connection.ts';
import { filesAreHeld } from '../database/file-hold.ts';
import { enterUploaded } from '../watches/watch-files.ts';
import { beforeNul, keysBeginningWith } from './key-range.ts';
import { countBytes, findQuota, partnerOf } from './storage-use.ts';

/** An object to be stored in the embedded store. */
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

/** A file of the embedded store, immutable once written. */
export interface BlobEntry {
  readonly name: string;
  readonly size: number;
  readonly etag: string;
}

/** A stored object, and the blobs that have no owner any more because of it. */
export interface ObjectReplacement {
  readonly object: ObjectEntry;
  readonly orphanedBlobs: string[];
}

/** What must be true of a key for an object to be stored there: no object, or one with this ETag. */
export type WriteCondition = 'no_object' | { readonly etag: string };

/** Why a condition is not met. Nothing was changed. */
export type UnmetCondition = 'object_exists' | 'no_such_object' | 'other_etag';

/** The objects of the embedded store, and the blobs that contain their bytes. */
export interface ObjectIndex {
  find(key: string): Promise<ObjectEntry | undefined>;
  /** Objects whose key begins with the prefix and sorts after `after`, in byte order. */
  list(prefix: string, after: string, limit: number): Promise<ObjectEntry[]>;
  /** The blobs of that version, in order; none if it does not exist. */
  blobsOf(version: { readonly key: string; readonly etag: string }): Promise<BlobEntry[]>;
  /**
   * Stores an object made of the blobs, in this order, and replaces any object with its key. The
   * condition and the partner's quota are checked in the same transaction, and `by` is recorded in it.
   */
  replace(
    object: NewObject,
    blobs: readonly BlobEntry[],
    condition?: WriteCondition,
    by?: AuditedWrite,
  ): Promise<ObjectReplacement | UnmetCondition>;
  /** Removes the objects that exist, and returns their blobs. Records `by` if there were any. */
  remove(keys: readonly string[], by?: AuditedWrite): Promise<string[]>;
  /** Removes those of the objects that were not replaced since they were listed. */
  removeVersions(
    objects: readonly Pick<ObjectEntry, 'key' | 'modifiedAt'>[],
  ): Promise<{ objects: ObjectEntry[]; orphanedBlobs: string[] }>;
  /** All blobs, with the keys of their objects; null for parts of open uploads. */
  blobs(): AsyncIterable<BlobEntry & { readonly key: string | null }>;
  /** Those of the blobs that have an owner, or had one and may not be deleted yet. */
  knownBlobs(blobs: readonly string[]): Promise<Set<string>>;
  /** Up to `limit` blobs that lost their owner and may not be deleted yet. None while a backup copies files. */
  removedBlobs(limit: number): Promise<string[]>;
  /** Whether a backup copies files, so that blobs without an owner are left to the sweep. */
  blobsAreHeld(): Promise<boolean>;
  /** Call it when removed blobs have been deleted from disk. */
  forgetRemoved(blobs: readonly string[]): Promise<void>;
  /** Whether the blob has an owner. Waits for the end of transactions that have it locked. */
  hasOwner(blob: string): Promise<boolean>;
  totals(): Promise<{ objects: number; bytes: number }>;
  /** The quota and the bytes of the partner to whom the key belongs; undefined if it has no quota. */
  quotaOf(key: string): Promise<{ partnerId: number; quota: number; bytes: number } | undefined>;
}

const blobsPerPage = 1_000;

export function createObjectIndex(db: Database): ObjectIndex {
  /** Removes those of the objects that exist and are chosen. */
  function removeObjects(
    keys: readonly string[],
    isChosen: (object: ObjectEntry) => boolean,
    by?: AuditedWrite,
  ) {
    return atomically(db, async (tx) => {
      const possible = keys.filter((key) => !key.includes('\0'));
      // In key order, so that two removals cannot deadlock.
      const { rows } = await sql<ObjectRow>`
        select * from object where key = any(${possible}) order by key for update
      `.execute(tx);
      const objects = rows.map(objectEntry).filter(isChosen);
      if (objects.length === 0) return { objects, orphanedBlobs: [] };
      const there = objects.map(({ key }) => key);
      // A new statement, after the lock, so that it sees all blobs committed before.
      const blobs = await removeBlobs(tx, 'key', there);
      await sql`
        with gone as (delete from object where key = any(${there}))
          ${recorded(by, { before: { objects: objects.map(auditedObject) }, after: null })}
        select 1
      `.execute(tx);
      await countBytes(
        tx,
        blobs.map(({ key, size }) => [key!, -size]),
      );
      return { objects, orphanedBlobs: namesOf(blobs) };
    });
  }

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

    replace: (object, blobs, condition, by) =>
      atomically(db, async (tx) => {
        await lockBlob(tx, blobs[0]!.name);
        const placed = await putObject(tx, object, condition);
        if (typeof placed === 'string') return placed;
        await sql`
          with counted as (insert into data_change default values)
            ${recorded(by, changeOf(placed))}
            ${enterUploaded(partnerOf(object.key), placed.object)}
          insert into blob (key, name, size, etag, position)
          select ${object.key}, name, size, etag, position
          from unnest(
            ${blobs.map((blob) => blob.name)}::text[],
            ${blobs.map((blob) => blob.size)}::bigint[],
            ${blobs.map((blob) => blob.etag)}::text[]
          ) with ordinality as given (name, size, etag, position)
        `.execute(tx);
        await countBytes(tx, [
          [object.key, object.size],
          [object.key, -bytesIn(placed.orphaned)],
        ]);
        return replacement(placed);
      }),

    async remove(keys, by) {
      const { orphanedBlobs } = await removeObjects(keys, () => true, by);
      return orphanedBlobs;
    },

    removeVersions(objects) {
      const times = new Map(objects.map(({ key, modifiedAt }) => [key, modifiedAt.getTime()]));
      return removeObjects([...times.keys()], ({ key, modifiedAt }) => {
        return times.get(key) === modifiedAt.getTime();
      });
    },

    async *blobs() {
      for (let last = ''; ; ) {
        const page = await db
          .selectFrom('blob')
          .select(['name', 'key', 'size', 'etag'])
          .where('name', '>', last)
          .orderBy('name')
          .limit(blobsPerPage)
          .execute();
        yield* page;
        if (page.length < blobsPerPage) return;
        last = page.at(-1)!.name;
      }
    },

    async knownBlobs(blobs) {
      // One statement, so that a blob removed meanwhile is found in one of the two tables.
      const { rows } = await sql<{ name: string }>`
        select name from blob where name = any(${[...blobs]})
        union all select name from removed_file where name = any(${[...blobs]})
      `.execute(db);
      return new Set(rows.map(({ name }) => name));
    },

    async removedBlobs(limit) {
      const rows = await db
        .selectFrom('removed_file')
        .select('name')
        .where('content', '=', 'objects')
        .limit(limit)
        .execute();
      return (await filesAreHeld(db)) ? [] : rows.map(({ name }) => name);
    },

    blobsAreHeld: () => filesAreHeld(db),

    async forgetRemoved(blobs) {
      await sql`delete from removed_file where name = any(${[...blobs]})`.execute(db);
    },

    hasOwner: (blob) =>
      atomically(db, async (tx) => {
        await lockBlob(tx, blob);
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

    quotaOf: (key) => findQuota(db, key),
  };
}

/** A blob that has no owner any more. */
export interface RemovedBlob {
  readonly name: string;
  readonly size: number;
  /** The key of the object that it belonged to. */
  readonly key: string | null;
}

/** An object that was put into the index, and the blobs of the object that it replaced. */
interface PlacedObject {
  readonly object: ObjectEntry;
  readonly orphaned: readonly RemovedBlob[];
}

/** What the audit log says of it. */
export function changeOf({ object: { etag, size }, orphaned }: PlacedObject): AuditChange {
  const before = orphaned.length === 0 ? null : { size: bytesIn(orphaned) };
  return { before, after: { etag, size } };
}

/** Records the call in the same statement, which costs less than another one. */
export function recorded(by: AuditedWrite | undefined, change: AuditChange): RawBuilder<unknown> {
  if (!by) return sql``;
  return sql`, recorded as (${insertAuditEntry(by, by.status, change)})`;
}

/** A key may contain anything, also secrets. */
function auditedObject({ key, etag, size }: ObjectEntry) {
  return { key: redactSecrets(key, []), etag, size };
}

export function replacement({ object, orphaned }: PlacedObject): ObjectReplacement {
  return { object, orphanedBlobs: namesOf(orphaned) };
}

export function namesOf(blobs: readonly RemovedBlob[]): string[] {
  return blobs.map(({ name }) => name);
}

export function bytesIn(blobs: readonly { readonly size: number }[]): number {
  return blobs.reduce((sum, { size }) => sum + size, 0);
}

/**
 * Stores the object, still without blobs, and replaces any object with its key. Its row, even a new
 * one, stays locked until the commit, so of several concurrent writers of a key only one gets the
 * orphaned blobs. If the condition is not met, nothing is changed.
 */
export async function putObject(
  tx: Database,
  object: NewObject,
  condition?: WriteCondition,
): Promise<PlacedObject | UnmetCondition> {
  if (typeof condition === 'object') {
    const current = await lockEtag(tx, object.key);
    if (current === undefined) return 'no_such_object';
    if (current !== condition.etag) return 'other_etag';
  }
  const row = await tx
    .insertInto('object')
    .values({
      key: object.key,
      etag: object.etag,
      size: object.size,
      content_type: object.contentType,
      metadata: JSON.stringify(object.metadata),
    })
    .onConflict((conflict) => {
      const taken = conflict.column('key');
      // Either way the insert waits for other transactions that insert or delete this key.
      if (condition === 'no_object') return taken.doNothing();
      return taken.doUpdateSet((eb) => ({
        etag: eb.ref('excluded.etag'),
        size: eb.ref('excluded.size'),
        content_type: eb.ref('excluded.content_type'),
        metadata: eb.ref('excluded.metadata'),
        modified_at: eb.ref('excluded.modified_at'),
      }));
    })
    .returningAll()
    .executeTakeFirst();
  if (!row) return 'object_exists';
  return { object: objectEntry(row), orphaned: await removeBlobs(tx, 'key', [object.key]) };
}

/** The ETag of the object, whose row stays locked until the commit. */
async function lockEtag(tx: Database, key: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('object')
    .select('etag')
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst();
  return row?.etag;
}

/**
 * Locks the blob until the commit. A process that never learned the outcome of its commit can wait
 * for this lock and then check whether the blob has an owner.
 */
export async function lockBlob(tx: Database, blob: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${blob}, 0))`.execute(tx);
}

/** Removes all blobs of these objects or uploads from the index, and returns them. */
export async function removeBlobs(
  tx: Database,
  owner: 'key' | 'upload_id',
  owners: readonly string[],
): Promise<RemovedBlob[]> {
  const { rows } = await sql<RemovedBlob>`
    with removed as (
      delete from blob where ${sql.ref(owner)} = any(${[...owners]}) returning name, size, key
    ),
    noted as (insert into removed_file (name, content) select name, 'objects' from removed),
    counted as (insert into data_change (changed_at) select now() from removed limit 1)
    select name, size, key from removed
  `.execute(tx);
  return rows;
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
