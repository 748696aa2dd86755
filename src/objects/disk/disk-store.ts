import { randomBytes } from 'node:crypto';
import type { BlobEntry, ObjectIndex } from '../../records/objects/object-index.ts';
import type { Uploads } from '../../records/objects/uploads.ts';
import { isFolderMarker, type ObjectStore, type ObjectVersion, VersionGone } from '../port.ts';
import { openBlobFiles } from './blob-files.ts';
import { joinParts } from './join-parts.ts';
import { checkKey } from './object-key.ts';
import { sweep } from './sweep.ts';
import { createVersionReader } from './version-reader.ts';

/** What an object carries besides its bytes. Names in `metadata` are without S3's `x-amz-meta-`. */
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

/**
 * What the S3 endpoint needs besides the port. Content is written while the next of it is being
 * produced, so a producer must not reuse the memory of a chunk; one that throws leaves nothing.
 * A key that S3 would not allow is refused as invalid_input, a full disk as storage_full.
 */
export interface DiskStore extends ObjectStore {
  stat(key: string): Promise<StoredObject | undefined>;
  /** Objects whose key begins with the prefix and comes after `after`, in byte order. */
  list(prefix: string, after: string, limit: number): Promise<StoredObject[]>;
  /**
   * Bytes [start, end) of that very version. Throws VersionGone if it is no longer there: before
   * the first of them, or between two parts of an object that was uploaded in parts.
   */
  read(version: ObjectVersion, start: number, end: number): AsyncIterable<Uint8Array>;
  put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    headers?: ObjectHeaders,
  ): Promise<StoredObject>;
  /** With the source's own headers if none are given. Throws VersionGone if it is not there. */
  copy(source: ObjectVersion, key: string, headers?: ObjectHeaders): Promise<StoredObject>;
  /** Deleting what is not there is no error. */
  delete(keys: readonly string[]): Promise<void>;

  beginUpload(key: string, headers: ObjectHeaders): Promise<string>;
  findUpload(uploadId: string): Promise<Upload | undefined>;
  /** In byte order of the key, then of the upload's id. */
  listUploads(prefix: string, after: UploadPosition | null, limit: number): Promise<Upload[]>;
  /** In the place of a part of that number, if there is one. */
  putPart(
    uploadId: string,
    partNumber: number,
    content: AsyncIterable<Uint8Array>,
  ): Promise<PutPart | 'no_such_upload'>;
  listParts(uploadId: string, afterPartNumber: number, limit: number): Promise<UploadedPart[]>;
  /**
   * Joins the parts without copying a byte. They must ascend, be there and have those ETags;
   * parts that are not listed are dropped.
   */
  completeUpload(
    uploadId: string,
    parts: readonly ListedPart[],
  ): Promise<StoredObject | 'no_such_upload' | 'invalid_part'>;
  /** False if there is no such upload. */
  abortUpload(uploadId: string): Promise<boolean>;

  /**
   * Removes blobs that nothing refers to and that nobody wrote to within the grace period, and
   * uploads begun longer ago than a week.
   */
  sweep(graceMs: number): Promise<{ blobs: number; bytes: number }>;
}

const keysPerPage = 1_000;
const noHeaders: ObjectHeaders = { contentType: 'binary/octet-stream', metadata: {} };

/**
 * Objects as immutable blobs in order, and an index that says which key has which. Keys never
 * become file names, so any key works and none can leave the folder.
 */
export async function openDiskStore(
  folder: string,
  index: ObjectIndex,
  uploads: Uploads,
): Promise<DiskStore> {
  const blobs = await openBlobFiles(folder);
  const versions = createVersionReader(index, blobs);
  const byTurns = createVersionReader(index, blobs, blobs.readByTurns);

  return {
    async *find(path) {
      const exact = await index.find(path);
      if (exact && !isFolderMarker(exact)) {
        yield exact;
        return;
      }
      for (let after = ''; ; ) {
        const page = await index.list(path, after, keysPerPage);
        yield* page.filter((object) => !isFolderMarker(object));
        const last = page.at(-1);
        if (!last || page.length < keysPerPage) return;
        after = last.key;
      }
    },

    stat: (key) => index.find(key),
    list: (prefix, after, limit) => index.list(prefix, after, limit),
    open: (version, offset) => byTurns.read(version, offset, Number.POSITIVE_INFINITY),
    read: versions.read,

    async put(key, content, { contentType, metadata } = noHeaders) {
      checkKey(key);
      const blob = await blobs.write(content);
      const { etag, size } = blob;
      const { object, orphanedBlobs } = await committing([blob], () =>
        index.replace({ key, etag, size, contentType, metadata }, [blob]),
      );
      await blobs.remove(orphanedBlobs);
      return object;
    },

    async copy(source, key, headers) {
      checkKey(key);
      const original = await index.find(source.key);
      if (original?.etag !== source.etag) throw new VersionGone(source);
      const copies = await versions.copy(source);
      const { etag, size } = original;
      const { contentType, metadata } = headers ?? original;
      const { object, orphanedBlobs } = await committing(copies, () =>
        index.replace({ key, etag, size, contentType, metadata }, copies),
      );
      await blobs.remove(orphanedBlobs);
      return object;
    },

    async delete(keys) {
      await blobs.remove(await index.remove(keys));
    },

    async beginUpload(key, headers) {
      checkKey(key);
      const uploadId = randomBytes(16).toString('hex');
      await uploads.begin(uploadId, key, headers);
      return uploadId;
    },

    findUpload: (uploadId) => uploads.find(uploadId),
    listUploads: (prefix, after, limit) => uploads.list(prefix, after, limit),

    async putPart(uploadId, partNumber, content) {
      if (!(await uploads.find(uploadId))) return 'no_such_upload';
      const blob = await blobs.write(content);
      const replaced = await committing([blob], () =>
        uploads.replacePart(uploadId, partNumber, blob),
      );
      if (replaced === 'no_such_upload') {
        await blobs.remove([blob.name]);
        return replaced;
      }
      await blobs.remove(replaced);
      return { etag: blob.etag, size: blob.size };
    },

    listParts: (uploadId, afterPartNumber, limit) =>
      uploads.parts(uploadId, afterPartNumber, limit),

    async completeUpload(uploadId, listed) {
      const completed = await uploads.complete(uploadId, (parts) => joinParts(parts, listed));
      if (completed === 'no_such_upload') return completed;
      if (completed === 'no_choice') return 'invalid_part';
      await blobs.remove(completed.orphanedBlobs);
      return completed.object;
    },

    async abortUpload(uploadId) {
      const parts = await uploads.abort(uploadId);
      if (parts === 'no_such_upload') return false;
      await blobs.remove(parts);
      return true;
    },

    sweep: (graceMs) => sweep(blobs, index, uploads, graceMs),
    checkReady: blobs.checkReady,
  };

  /** The blobs of one commit stand or fall together, so the first speaks for all of them. */
  async function committing<T>(
    written: readonly BlobEntry[],
    commit: () => Promise<T>,
  ): Promise<T> {
    try {
      return await commit();
    } catch (error) {
      // An answer that was lost may have been a yes: then the blobs are the object's, so they stay.
      const mayStand = await index.hasOwner(written[0]!.name).catch(() => true);
      if (!mayStand) await blobs.remove(written.map(({ name }) => name));
      throw error;
    }
  }
}
