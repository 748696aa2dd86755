import { messageOf, TributaryError } from '../domain/errors.ts';
import {
  type FailureCode,
  type ImportProblem,
  wholeImportProblem,
} from '../domain/import-problems.ts';
import { pathType } from '../domain/job.ts';
import { partnerBucketPath, sharedBucketKey } from '../domain/source-path.ts';
import {
  type ObjectStore,
  type ObjectVersion,
  type OpenPartnerBucket,
  StorageFault,
  VersionGone,
} from '../objects/port.ts';
import type { ImportRequest } from '../records/import-logs.ts';
import type { Claim } from '../records/jobs.ts';
import { partnerPrefix } from '../records/partners.ts';
import type { Records } from '../records/records.ts';
import { RetryLater } from './kind.ts';

/** Where the files of one import lie. */
export interface ImportSource extends AsyncDisposable {
  /** The files that the import names at this moment, in key order. */
  files(): AsyncIterable<ObjectVersion>;
  /** Tells of the bytes as they come. */
  open(version: ObjectVersion, onBytes: (bytes: number) => void): AsyncIterable<Uint8Array>;
  /** What a file is called in a log. */
  nameOf(version: ObjectVersion): string;
  /** Why what the store threw ends the import, if it does; throws what is to be tried again. */
  failureOf(error: unknown): Promise<ImportProblem>;
}

/** What reading a source throws: `cause` came from the store, and from nowhere else. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

export interface SourceDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly openPartnerBucket: OpenPartnerBucket;
}

const storageAttempts = 5;

export async function openSource(
  deps: SourceDependencies,
  claim: Claim,
  request: ImportRequest,
): Promise<ImportSource> {
  return request.pathType === pathType.partnerBucket
    ? openPartnersOwn(deps, claim, request)
    : openShared(deps, claim, request);
}

function openShared(
  { objects }: SourceDependencies,
  claim: Claim,
  request: ImportRequest,
): ImportSource {
  const key = sharedBucketKey(partnerPrefix(claim.partnerId), request.filePath);
  return {
    // Checked when it was submitted; a path that means nothing any more names no files.
    files: () => ofSource(typeof key === 'string' ? objects.find(key) : noFiles()),
    open: (version, onBytes) =>
      ofSource(objects.open(version, 0), (chunk) => onBytes(chunk.length)),
    nameOf: (version) => version.key,
    // Our own bucket is the operator's to mend: the import waits for that.
    async failureOf(error) {
      if (!(error instanceof StorageFault)) throw error;
      throw new TributaryError('unavailable', `The shared bucket: ${error.message}`, {
        cause: error,
      });
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function openPartnersOwn(
  { records, openPartnerBucket }: SourceDependencies,
  claim: Claim,
  request: ImportRequest,
): Promise<ImportSource> {
  const place = partnerBucketPath(request.filePath);
  // Checked when it was submitted, and nothing about it can have changed since.
  if (place instanceof TributaryError) throw place;
  const credentials = await records.importLogs.credentials(claim.jobId);
  const store = await openPartnerBucket(place.bucket, credentials);
  return {
    files: () => ofSource(store.find(place.path)),
    open: (version, onBytes) => ofSource(store.open(version, 0), (chunk) => onBytes(chunk.length)),
    nameOf: (version) => `s3://${place.bucket}/${version.key}`,
    async failureOf(error) {
      if (error instanceof StorageFault) {
        return wholeImportProblem(faultCodes[error.code], error.message);
      }
      if (!(error instanceof TributaryError) || error.code !== 'unavailable') throw error;
      const failures = await records.jobs.noteStorageFailure(claim);
      if (failures < storageAttempts) throw new RetryLater(2 ** failures, error);
      return wholeImportProblem(
        'storage_unavailable',
        `Your bucket could not be read in ${failures} attempts: ${messageOf(error)}`,
      );
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const faultCodes: Readonly<Record<StorageFault['code'], FailureCode>> = {
  access_denied: 'access_denied',
  no_such_bucket: 'no_files',
};

async function* ofSource<T>(
  items: AsyncIterable<T>,
  onItem: (item: T) => void = () => {},
): AsyncGenerator<T> {
  try {
    for await (const item of items) {
      onItem(item);
      yield item;
    }
  } catch (error) {
    throw error instanceof VersionGone ? error : new SourceFailure(error);
  }
}

async function* noFiles(): AsyncGenerator<never> {}
