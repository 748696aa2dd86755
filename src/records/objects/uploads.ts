import { sql } from 'kysely';
import type { AuditedWrite } from '../database/audit-entries.ts';
import { atomically, type Database } from '../database/connection.ts';
import { enterUploaded } from '../watches/watch-files.ts';
import { beforeNul, keysBeginningWith } from './key-range.ts';
import {
  type BlobEntry,
  bytesIn,
  changeOf,
  lockBlob,
  type NewObject,
  namesOf,
  type ObjectReplacement,
  putObject,
  type RemovedBlob,
  recorded,
  removeBlobs,
  replacement,
  type UnmetCondition,
  type WriteCondition,
} from './object-index.ts';
import { countBytes, isUnder, partnerOf } from './storage-use.ts';

interface UploadHeaders {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

interface UploadEntry {
  readonly uploadId: string;
  readonly key: string;
  readonly headers: UploadHeaders;
  readonly startedAt: Date;
}

interface PartEntry {
  readonly partNumber: number;
  readonly etag: string;
  readonly size: number;
  readonly modifiedAt: Date;
}

/** Multipart uploads in progress and their parts. An upload's row is locked to change it. */
export interface Uploads {
  /** False if the partner already has `mostOpen` uploads. */
  begin(uploadId: string, key: string, headers: UploadHeaders, mostOpen: number): Promise<boolean>;
  find(uploadId: string): Promise<UploadEntry | undefined>;
  /** Ordered by the bytes of the key, then of the id. */
  list(
    prefix: string,
    after: { readonly key: string; readonly uploadId: string } | null,
    limit: number,
  ): Promise<UploadEntry[]>;
  startedBefore(time: Date): Promise<string[]>;
  /** The parts after that number, in order. */
  parts(uploadId: string, afterPartNumber: number, limit: number): Promise<PartEntry[]>;
  /** Stores a part, replaces any part with its number, and returns that part's blob, if any. */
  replacePart(
    uploadId: string,
    partNumber: number,
    blob: BlobEntry,
  ): Promise<string[] | 'no_such_upload'>;
  /**
   * Makes an object of the parts that `choose` selects, or changes nothing if it selects none or the
   * condition is not met. The orphaned blobs are those of the replaced object and of the parts that
   * were not selected. Records `by` in the same transaction.
   */
  complete(
    uploadId: string,
    choose: (parts: readonly PartEntry[]) => PartSelection | undefined,
    condition?: WriteCondition,
    by?: AuditedWrite,
  ): Promise<ObjectReplacement | UnmetCondition | 'no_such_upload' | 'no_choice'>;
  /** Ends the upload, and returns the blobs of its parts. */
  abort(uploadId: string): Promise<string[] | 'no_such_upload'>;
}

/** The parts that become an object, and that object's ETag and size. */
interface PartSelection extends Pick<NewObject, 'etag' | 'size'> {
  readonly partNumbers: readonly number[];
}

export function createUploads(db: Database): Uploads {
  return {
    begin: (uploadId, key, { contentType, metadata }, mostOpen) =>
      atomically(db, async (tx) => {
        const partnerId = partnerOf(key);
        if (partnerId !== undefined) {
          // One at a time, so that each counts those before it.
          await sql`
            select pg_advisory_xact_lock(hashtextextended('open uploads', ${partnerId}))
          `.execute(tx);
          const { rows } = await sql<{ open: number }>`
            select count(*) as open from upload where ${isUnder(partnerId)}
          `.execute(tx);
          if (rows[0]!.open >= mostOpen) return false;
        }
        await tx
          .insertInto('upload')
          .values({
            upload_id: uploadId,
            key,
            content_type: contentType,
            metadata: JSON.stringify(metadata),
          })
          .execute();
        return true;
      }),

    async find(uploadId) {
      if (uploadId.includes('\0')) return undefined;
      const row = await db
        .selectFrom('upload')
        .selectAll()
        .where('upload_id', '=', uploadId)
        .executeTakeFirst();
      return row && uploadEntry(row);
    },

    async list(prefix, after, limit) {
      if (prefix.includes('\0')) return [];
      const { from, to } = keysBeginningWith(prefix);
      const rows = await db
        .selectFrom('upload')
        .selectAll()
        .where('key', '>=', from)
        .$if(to !== null, (query) => query.where('key', '<', to))
        .$if(after !== null, (query) =>
          query.where(
            sql<boolean>`(key, upload_id) > (${beforeNul(after!.key)}, ${beforeNul(after!.uploadId)})`,
          ),
        )
        .orderBy('key')
        .orderBy('upload_id')
        .limit(limit)
        .execute();
      return rows.map(uploadEntry);
    },

    async startedBefore(time) {
      const rows = await db
        .selectFrom('upload')
        .select('upload_id')
        .where('started_at', '<', time)
        .execute();
      return rows.map(({ upload_id }) => upload_id);
    },

    parts: (uploadId, afterPartNumber, limit) =>
      partsOf(db, uploadId).where('position', '>', afterPartNumber).limit(limit).execute(),

    replacePart: (uploadId, partNumber, blob) =>
      atomically(db, async (tx) => {
        await lockBlob(tx, blob.name);
        const upload = await lockUpload(tx, uploadId);
        if (!upload) return 'no_such_upload';
        const replaced = await tx
          .deleteFrom('blob')
          .where('upload_id', '=', uploadId)
          .where('position', '=', partNumber)
          .returning(['name', 'size'])
          .execute();
        await tx
          .insertInto('blob')
          .values({ ...blob, upload_id: uploadId, position: partNumber })
          .execute();
        await countBytes(tx, [[upload.key, blob.size - bytesIn(replaced)]]);
        return replaced.map(({ name }) => name);
      }),

    complete: (uploadId, choose, condition, by) =>
      atomically(db, async (tx) => {
        const upload = await lockUpload(tx, uploadId);
        if (!upload) return 'no_such_upload';
        const choice = choose(await partsOf(tx, uploadId).execute());
        if (!choice) return 'no_choice';
        const { key, headers } = upload;
        const { etag, size, partNumbers } = choice;
        const placed = await putObject(tx, { key, etag, size, ...headers }, condition);
        if (typeof placed === 'string') return placed;
        await sql`
          with counted as (insert into data_change default values)
            ${recorded(by, changeOf(placed))}
            ${enterUploaded(partnerOf(key), placed.object)}
          update blob set key = ${key}, upload_id = null
          where upload_id = ${uploadId} and position = any(${[...partNumbers]})
        `.execute(tx);
        const unselected = await removeUpload(tx, uploadId);
        const orphaned = [...placed.orphaned, ...unselected];
        await countBytes(tx, [[key, -bytesIn(orphaned)]]);
        return replacement({ ...placed, orphaned });
      }),

    abort: (uploadId) =>
      atomically(db, async (tx) => {
        const upload = await lockUpload(tx, uploadId);
        if (!upload) return 'no_such_upload';
        const parts = await removeUpload(tx, uploadId);
        await countBytes(tx, [[upload.key, -bytesIn(parts)]]);
        return namesOf(parts);
      }),
  };
}

async function lockUpload(tx: Database, uploadId: string): Promise<UploadEntry | undefined> {
  const row = await tx
    .selectFrom('upload')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .forUpdate()
    .executeTakeFirst();
  return row && uploadEntry(row);
}

function partsOf(db: Database, uploadId: string) {
  return db
    .selectFrom('blob')
    .select(['position as partNumber', 'etag', 'size', 'created_at as modifiedAt'])
    .where('upload_id', '=', uploadId)
    .orderBy('position');
}

async function removeUpload(tx: Database, uploadId: string): Promise<RemovedBlob[]> {
  const blobs = await removeBlobs(tx, 'upload_id', [uploadId]);
  await tx.deleteFrom('upload').where('upload_id', '=', uploadId).execute();
  return blobs;
}

interface UploadRow {
  readonly upload_id: string;
  readonly key: string;
  readonly content_type: string;
  readonly metadata: Record<string, string>;
  readonly started_at: Date;
}

function uploadEntry(row: UploadRow): UploadEntry {
  return {
    uploadId: row.upload_id,
    key: row.key,
    headers: { contentType: row.content_type, metadata: row.metadata },
    startedAt: row.started_at,
  };
}
