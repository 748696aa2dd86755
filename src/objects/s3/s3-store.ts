import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { TributaryError } from '../../domain/errors.ts';
import { highestCharacter } from '../list-page.ts';
import {
  isFolderMarker,
  type ObjectStore,
  type ObjectVersion,
  type UploadedVersion,
  VersionGone,
} from '../port.ts';
import { planParts } from './part-size.ts';
import { etagOf, isGone, readVersion } from './read-version.ts';
import { createS3Client, type S3Options } from './s3-client.ts';
import { translateS3Error } from './s3-faults.ts';

const concurrentDeletes = 16;
const keysPerPage = 1_000;

export interface S3Store extends ObjectStore, AsyncDisposable {
  /** `mostBytes` is only needed beyond 80 GB, where the parts of an upload must be larger. */
  put(key: string, content: AsyncIterable<Uint8Array>, mostBytes?: number): Promise<ObjectVersion>;
  /** Deleting a missing object is not an error. */
  remove(key: string): Promise<void>;
}

/** A bucket on AWS or any S3-compatible store: MinIO, Ceph, R2, Swift. */
export function createS3Store(options: S3Options): S3Store {
  const { bucket } = options;
  const client = createS3Client(options);

  return {
    async *find(path) {
      const exact = path === '' ? undefined : await head(path);
      if (exact && !isFolderMarker(exact)) {
        yield exact;
        return;
      }
      let last: Buffer | undefined;
      for await (const version of listed(path)) {
        const key = Buffer.from(version.key);
        if (!version.key.startsWith(path) || (last && Buffer.compare(last, key) >= 0)) {
          throw new Error(
            `the bucket ${bucket} listed ${version.key} out of order or outside the prefix`,
          );
        }
        last = key;
        if (!isFolderMarker(version)) yield version;
      }
    },

    stat: (key) => head(key),

    async *open(version, offset) {
      if (offset < version.size) yield* readVersion(client, options, version, offset);
      else if ((await head(version.key))?.etag !== version.etag) throw new VersionGone(version);
    },

    async put(key, content, mostBytes = 0) {
      let size = 0;
      let contentFault: { readonly error: unknown } | undefined;
      async function* counted() {
        try {
          for await (const chunk of content) {
            size += chunk.length;
            yield chunk;
          }
        } catch (error) {
          contentFault = { error };
          throw error;
        }
      }
      const body = Readable.from(counted());
      try {
        const params = { Bucket: bucket, Key: key, Body: body };
        const upload = new Upload({ client, params, ...planParts(mostBytes) });
        const { ETag } = await upload.done();
        return { key, etag: etagOf(ETag), size };
      } catch (error) {
        throw contentFault ? contentFault.error : translateS3Error(error, options);
      } finally {
        body.destroy();
      }
    },

    uploaded: (prefix) => inBatches(listed(prefix), keysPerPage),

    async folder(prefix, after, limit) {
      // Our own key, because a client could send any continuation token. The folder's own marker has the
      // key of the prefix; any other key with a slash at the end is a folder that was listed.
      const isFolder = after !== null && after !== prefix && after.endsWith('/');
      const page = await list(prefix, {
        StartAfter: isFolder ? after + highestCharacter : (after ?? undefined),
        MaxKeys: limit,
        Delimiter: '/',
      });
      const folders = (page.CommonPrefixes ?? [])
        .map(({ Prefix = '' }) => decodeKey(Prefix, page))
        .filter((folder) => folder !== after);
      const objects = versionsIn(page);
      const last = [folders.at(-1), objects.at(-1)?.key]
        .filter((key) => key !== undefined)
        .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
        .at(-1);
      return {
        folders,
        objects: objects.filter((version) => !isFolderMarker(version)),
        next: (page.IsTruncated && last) || null,
      };
    },

    async removeVersions(versions, signal) {
      const removed: UploadedVersion[] = [];
      for await (const batch of inBatches(versions, concurrentDeletes)) {
        const deleted = batch.map(async (version) => {
          // Not every store can delete under a condition, so the version is checked just before.
          if (!(await isCurrent(version, signal))) return;
          const command = new DeleteObjectCommand({ Bucket: bucket, Key: version.key });
          await client.send(command, { abortSignal: signal });
          removed.push(version);
        });
        await translated(Promise.all(deleted));
      }
      return removed;
    },

    async removeAll(prefix, signal) {
      for await (const upload of openUploads(prefix)) {
        signal.throwIfAborted();
        const abort = new AbortMultipartUploadCommand({ Bucket: bucket, ...upload });
        await translated(client.send(abort));
      }
      // One request each: not every store deletes many at once, and XML cannot name every key.
      for await (const versions of inBatches(listed(prefix), concurrentDeletes)) {
        signal.throwIfAborted();
        const deleted = versions.map(({ key: Key }) =>
          client.send(new DeleteObjectCommand({ Bucket: bucket, Key })),
        );
        await translated(Promise.all(deleted));
      }
    },

    async remove(key) {
      try {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
      } catch (error) {
        if (!isGone(error)) throw translateS3Error(error, options);
      }
    },

    async checkReady() {
      try {
        await client.send(new HeadBucketCommand({ Bucket: bucket }));
      } catch (error) {
        throw await explainHeadError(error, '');
      }
    },

    async [Symbol.asyncDispose]() {
      client.destroy();
    },
  };

  async function head(key: string): Promise<ObjectVersion | undefined> {
    try {
      const answer = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
      return { key, etag: etagOf(answer.ETag), size: answer.ContentLength ?? 0 };
    } catch (error) {
      if (isGone(error)) return undefined;
      throw await explainHeadError(error, key);
    }
  }

  /** Whether the object was not replaced since it was listed. The time has only whole seconds here. */
  async function isCurrent(version: UploadedVersion, signal: AbortSignal): Promise<boolean> {
    const command = new HeadObjectCommand({ Bucket: bucket, Key: version.key });
    try {
      const { ETag, LastModified } = await client.send(command, { abortSignal: signal });
      const isSameTime = secondOf(LastModified) === secondOf(version.modifiedAt);
      return etagOf(ETag) === version.etag && isSameTime;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  async function* listed(prefix: string): AsyncGenerator<UploadedVersion> {
    for (let token: string | undefined; ; ) {
      const page = await list(prefix, { ContinuationToken: token });
      yield* versionsIn(page);
      if (!page.IsTruncated) return;
      token = page.NextContinuationToken;
      if (!token) {
        throw new Error(`the bucket ${bucket} returned a truncated listing without a token`);
      }
    }
  }

  async function* openUploads(prefix: string): AsyncGenerator<{ Key: string; UploadId: string }> {
    for (let marker = {}; ; ) {
      const input = { Bucket: bucket, Prefix: prefix, EncodingType: 'url', ...marker } as const;
      const page = await translated(client.send(new ListMultipartUploadsCommand(input)));
      for (const { Key = '', UploadId = '' } of page.Uploads ?? []) {
        yield { Key: decodeKey(Key, page), UploadId };
      }
      if (!page.IsTruncated || page.NextKeyMarker === undefined) return;
      const KeyMarker = decodeKey(page.NextKeyMarker, page);
      marker = { KeyMarker, UploadIdMarker: page.NextUploadIdMarker };
    }
  }

  async function list(prefix: string, options: Partial<ListObjectsV2CommandInput>) {
    const command = new ListObjectsV2Command({
      Bucket: bucket,
      Prefix: prefix,
      // Keys may contain characters that XML does not allow.
      EncodingType: 'url',
      ...options,
    });
    return translated(client.send(command));
  }

  async function translated<T>(sent: Promise<T>): Promise<T> {
    try {
      return await sent;
    } catch (error) {
      throw translateS3Error(error, options);
    }
  }

  /** The response to a HEAD has no body with the reason, so a listing is requested as well. */
  async function explainHeadError(error: unknown, prefix: string): Promise<unknown> {
    const meaning = translateS3Error(error, options);
    if (meaning instanceof TributaryError) return meaning;
    return list(prefix, { MaxKeys: 1 }).then(
      () => meaning,
      (reason: unknown) => reason,
    );
  }
}

function versionsIn(page: ListObjectsV2CommandOutput): UploadedVersion[] {
  return (page.Contents ?? []).map(({ Key = '', ETag, Size = 0, LastModified }) => {
    const modifiedAt = LastModified ?? new Date();
    return { key: decodeKey(Key, page), etag: etagOf(ETag), size: Size, modifiedAt };
  });
}

/** A plus is a space, as in a form. Stores without this encoding omit EncodingType. */
function decodeKey(
  key: string,
  { EncodingType }: Pick<ListObjectsV2CommandOutput, 'EncodingType'>,
): string {
  return EncodingType === 'url' ? decodeURIComponent(key.replaceAll('+', '%20')) : key;
}

function secondOf(time: Date | undefined): number | undefined {
  return time && Math.floor(time.getTime() / 1000);
}

async function* inBatches<T>(
  items: AsyncIterable<T> | Iterable<T>,
  size: number,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
