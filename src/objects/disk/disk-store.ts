import { randomBytes } from 'node:crypto';
import { noReserve } from '../../domain/disk-reserve.ts';
import { TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { Trash } from '../../domain/trash.ts';
import type { AuditedWrite } from '../../records/database/audit-entries.ts';
import type {
  BlobEntry,
  ObjectIndex,
  UnmetCondition,
  WriteCondition,
} from '../../records/objects/object-index.ts';
import type { Uploads } from '../../records/objects/uploads.ts';
import type { Content } from '../content.ts';
import { keyOf, listPage } from '../list-page.ts';
import { isFolderMarker, type ObjectStore, type ObjectVersion, VersionGone } from '../port.ts';
import { openBlobFiles } from './blob-files.ts';
import { joinParts } from './join-parts.ts';
import { checkKey } from './object-key.ts';
import { createReservations } from './reservations.ts';
import { type Swept, sweep } from './sweep.ts';
import { createVersionReader } from './version-reader.ts';

/** An object's headers. Names in `metadata` omit S3's `x-amz-meta-`. */
export interface ObjectHeaders {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface StoredObject extends ObjectVersion, ObjectHeaders {
  readonly modifiedAt: Date;
}

export interface Upload {
  readonly uploadId: string;
  readonly key: string;
  readonly headers: ObjectHeaders;
  readonly startedAt: Date;
}

export interface UploadPosition {
  readonly key: string;
  readonly uploadId: string;
}

export interface PutPart {
  readonly etag: string;
  readonly size: number;
}

interface UploadedPart extends PutPart {
  readonly partNumber: number;
  readonly modifiedAt: Date;
}

export interface ListedPart {
  readonly partNumber: number;
  readonly etag: string;
}

/** The condition of a write is not met, so nothing was stored. */
export class ConditionNotMet extends Error {
  override readonly name = 'ConditionNotMet';
  readonly reason: UnmetCondition;

  constructor(reason: UnmetCondition) {
    super(`the condition of the write is not met: ${reason}`);
    this.reason = reason;
  }
}

/**
 * The port plus the operations of the S3 endpoint. If content throws or its check does, no object is stored.
 * A key that S3 forbids is invalid_input; a full disk, or one with less free space than the reserve, is
 * storage_full. A condition is checked at the moment of the replacement; if it is not met, ConditionNotMet
 * is thrown. The audit log records `by` with the change.
 */
export interface DiskStore extends ObjectStore {
  stat(key: string): Promise<StoredObject | undefined>;
  /** Lists objects whose key begins with the prefix and sorts after `after`, in byte order. */
  list(prefix: string, after: string, limit: number): Promise<StoredObject[]>;
  /**
   * Reads bytes [start, end) of that exact version. Throws VersionGone if it no longer exists: before the
   * first byte, or between two parts of a multipart object.
   */
  read(version: ObjectVersion, start: number, end: number): AsyncIterable<Uint8Array>;
  put(
    key: string,
    content: Content,
    headers?: ObjectHeaders,
    condition?: WriteCondition,
    by?: AuditedWrite,
  ): Promise<StoredObject>;
  /** Keeps the source's headers unless others are given. Throws VersionGone if the source is gone. */
  copy(
    source: ObjectVersion,
    key: string,
    headers?: ObjectHeaders,
    condition?: WriteCondition,
    by?: AuditedWrite,
  ): Promise<StoredObject>;
  /**
   * Takes these bytes from the quota of the partner to whom the key belongs, until it is disposed. Throws
   * quota_exceeded if there is no room beside what is stored and what else is being uploaded. An object
   * that will be replaced is still stored. Other processes do not see it; the commit checks again.
   */
  reserve(key: string, bytes: number): Promise<Disposable>;
  /** Deleting a missing object is not an error. */
  delete(keys: readonly string[], by?: AuditedWrite): Promise<void>;

  beginUpload(key: string, headers: ObjectHeaders): Promise<string>;
  findUpload(uploadId: string): Promise<Upload | undefined>;
  /** In byte order of the key, then of the upload's id. */
  listUploads(prefix: string, after: UploadPosition | null, limit: number): Promise<Upload[]>;
  /** Replaces an earlier part with the same number. */
  putPart(
    uploadId: string,
    partNumber: number,
    content: Content,
  ): Promise<PutPart | 'no_such_upload'>;
  listParts(uploadId: string, afterPartNumber: number, limit: number): Promise<UploadedPart[]>;
  /**
   * Joins the parts without copying bytes. They must exist, ascend and have the given ETags. Unlisted
   * parts are dropped. If the condition is not met, the upload and its parts remain.
   */
  completeUpload(
    uploadId: string,
    parts: readonly ListedPart[],
    condition?: WriteCondition,
    by?: AuditedWrite,
  ): Promise<StoredObject | 'no_such_upload' | 'invalid_part'>;
  /** False if there is no such upload. */
  abortUpload(uploadId: string): Promise<boolean>;

  /** Removes uploads older than a week, and moves unknown blobs older than the grace period to the trash. */
  sweep(graceMs: number, trash: Trash): Promise<Swept>;
}

const keysPerPage = 1_000;
const defaultHeaders: ObjectHeaders = { contentType: 'binary/octet-stream', metadata: {} };

/**
 * Stores each object as a list of immutable blobs, with an index from keys to blobs. Keys never become
 * file names, so any key works and none can escape the folder.
 */
export async function openDiskStore(
  folder: string,
  index: ObjectIndex,
  uploads: Uploads,
  reserve = noReserve,
  maximumOpenUploads: number = limits.openUploads.most,
): Promise<DiskStore> {
  const blobs = await openBlobFiles(folder, reserve);
  const reserveBytes = createReservations(index);
  const versions = createVersionReader(index, blobs);
  const reusingReader = createVersionReader(index, blobs, blobs.readReusingBuffers);

  return {
    async *find(path) {
      const exact = await index.find(path);
      if (exact && !isFolderMarker(exact)) {
        yield exact;
        return;
      }
      for await (const page of pages(path)) {
        yield* page.filter((object) => !isFolderMarker(object));
      }
    },

    uploaded: pages,

    async folder(prefix, after, limit) {
      const { items, commonPrefixes, next } = await listPage(
        { prefix, delimiter: '/', after: after ?? '', limit },
        (position, count) => index.list(prefix, keyOf(position), count),
      );
      return {
        folders: commonPrefixes,
        objects: items.filter((object) => !isFolderMarker(object)),
        next: next === undefined ? null : keyOf(next),
      };
    },

    async removeVersions(uploaded) {
      const { objects, orphanedBlobs } = await index.removeVersions(uploaded);
      await removeOrphans(orphanedBlobs);
      return objects;
    },

    stat: (key) => index.find(key),
    list: (prefix, after, limit) => index.list(prefix, after, limit),
    open: (version, offset) => reusingReader.read(version, offset, Number.POSITIVE_INFINITY),
    read: versions.read,

    async put(key, content, { contentType, metadata } = defaultHeaders, condition, by) {
      checkKey(key);
      const blob = await blobs.write(content);
      const { etag, size } = blob;
      return replaceObject({ key, etag, size, contentType, metadata }, [blob], condition, by);
    },

    async copy(source, key, headers, condition, by) {
      checkKey(key);
      const original = await index.find(source.key);
      if (original?.etag !== source.etag) throw new VersionGone(source);
      const copies = await versions.copy(source);
      const { etag, size } = original;
      const { contentType, metadata } = headers ?? original;
      return replaceObject({ key, etag, size, contentType, metadata }, copies, condition, by);
    },

    reserve: reserveBytes,

    async delete(keys, by) {
      await removeOrphans(await index.remove(keys, by));
    },

    async removeAll(prefix, signal) {
      for (;;) {
        signal.throwIfAborted();
        const open = await uploads.list(prefix, null, keysPerPage);
        for (const { uploadId } of open) {
          const parts = await uploads.abort(uploadId);
          if (parts !== 'no_such_upload') await removeOrphans(parts);
        }
        const page = await index.list(prefix, '', keysPerPage);
        await removeOrphans(await index.remove(page.map(({ key }) => key)));
        if (open.length === 0 && page.length === 0) return;
      }
    },

    async beginUpload(key, headers) {
      checkKey(key);
      await reserve.check('data');
      const uploadId = randomBytes(16).toString('hex');
      if (await uploads.begin(uploadId, key, headers, maximumOpenUploads)) return uploadId;
      throw new TributaryError(
        'quota_exceeded',
        `You have ${maximumOpenUploads} open multipart uploads. Complete or abort some of them.`,
      );
    },

    findUpload: (uploadId) => uploads.find(uploadId),
    listUploads: (prefix, after, limit) => uploads.list(prefix, after, limit),

    async putPart(uploadId, partNumber, content) {
      if (!(await uploads.find(uploadId))) return 'no_such_upload';
      const blob = await blobs.write(content);
      const replaced = await commitBlobs([blob], () =>
        uploads.replacePart(uploadId, partNumber, blob),
      );
      if (replaced === 'no_such_upload') {
        await blobs.remove([blob.name]);
        return replaced;
      }
      await removeOrphans(replaced);
      return { etag: blob.etag, size: blob.size };
    },

    listParts: (uploadId, afterPartNumber, limit) =>
      uploads.parts(uploadId, afterPartNumber, limit),

    async completeUpload(uploadId, listed, condition, by) {
      const completed = await uploads.complete(
        uploadId,
        (parts) => joinParts(parts, listed),
        condition,
        by,
      );
      if (completed === 'no_such_upload') return completed;
      if (completed === 'no_choice') return 'invalid_part';
      if (typeof completed === 'string') throw new ConditionNotMet(completed);
      await removeOrphans(completed.orphanedBlobs);
      return completed.object;
    },

    async abortUpload(uploadId) {
      const parts = await uploads.abort(uploadId);
      if (parts === 'no_such_upload') return false;
      await removeOrphans(parts);
      return true;
    },

    sweep: (graceMs, trash) => sweep(blobs, index, uploads, graceMs, trash),
    checkReady: blobs.checkReady,
  };

  async function* pages(prefix: string): AsyncGenerator<StoredObject[]> {
    for (let after = ''; ; ) {
      const page = await index.list(prefix, after, keysPerPage);
      yield page;
      const last = page.at(-1);
      if (!last || page.length < keysPerPage) return;
      after = last.key;
    }
  }

  /** Deletes blobs that had an owner. While a backup copies files, they are left to the sweep. */
  async function removeOrphans(names: readonly string[]): Promise<void> {
    if (names.length === 0 || (await index.blobsAreHeld().catch(() => true))) return;
    await blobs.remove(names);
  }

  async function replaceObject(
    object: Parameters<ObjectIndex['replace']>[0],
    written: readonly BlobEntry[],
    condition?: WriteCondition,
    by?: AuditedWrite,
  ): Promise<StoredObject> {
    const replaced = await commitBlobs(written, () =>
      index.replace(object, written, condition, by),
    );
    if (typeof replaced === 'string') {
      await blobs.remove(written.map(({ name }) => name));
      throw new ConditionNotMet(replaced);
    }
    await removeOrphans(replaced.orphanedBlobs);
    return replaced.object;
  }

  /** One commit owns all its blobs or none, so checking the first is enough. */
  async function commitBlobs<T>(
    written: readonly BlobEntry[],
    commit: () => Promise<T>,
  ): Promise<T> {
    try {
      return await commit();
    } catch (error) {
      if (error instanceof TributaryError && error.code === 'quota_exceeded') {
        await blobs.remove(written.map(({ name }) => name));
      } else {
        // The caller does not wait for it, because the database may be unavailable.
        void removeUnlessOwned(written);
      }
      throw error;
    }
  }

  /** A commit may have succeeded although its reply was lost. Then the object owns the blobs. */
  async function removeUnlessOwned(written: readonly BlobEntry[]): Promise<void> {
    const mayBeOwned = await index.hasOwner(written[0]!.name).catch(() => true);
    if (!mayBeOwned) await blobs.remove(written.map(({ name }) => name));
  }
}
