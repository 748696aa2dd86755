import { messageOf, TributaryError } from '../../domain/errors.ts';
import { type FailureCode, wholeImportProblem } from '../../domain/import-problems.ts';
import { pathType } from '../../domain/job.ts';
import { partnerBucketPath, sharedBucketKey } from '../../domain/source-path.ts';
import { type ObjectStore, type OpenPartnerBucket, StorageFault } from '../../objects/port.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { ImportRequest } from '../../records/marketplace/import-logs.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import { bucketAccess } from '../worker/bucket-access.ts';
import {
  type FileSource,
  findFiles,
  openSharedSource,
  wrapSourceErrors,
} from '../worker/file-source.ts';
import { RetryLater } from '../worker/job-handler.ts';

export interface ImportSourceDependencies {
  readonly records: Records;
  readonly objects: ObjectStore;
  readonly openPartnerBucket: OpenPartnerBucket;
}

const maxStorageAttempts = 5;

/** The files of one import: in the shared bucket or in the partner's own. */
export async function openImportSource(
  deps: ImportSourceDependencies,
  claim: Claim,
  request: ImportRequest,
): Promise<FileSource> {
  if (request.pathType === pathType.partnerBucket) return openPartnerSource(deps, claim, request);
  const key = sharedBucketKey(partnerPrefix(claim.partnerId), request.filePath);
  // The path was validated on submission. If it is no longer valid, it matches no files.
  return openSharedSource(deps.objects, typeof key === 'string' ? key : null, request.etag);
}

async function openPartnerSource(
  { records, openPartnerBucket }: ImportSourceDependencies,
  claim: Claim,
  request: ImportRequest,
): Promise<FileSource> {
  const place = partnerBucketPath(request.filePath);
  // The path was validated on submission and cannot have changed since.
  if (place instanceof TributaryError) throw place;
  const credentials = await records.importLogs.credentials(claim.jobId);
  const access = await bucketAccess(records, claim.partnerId, credentials);
  const store = await openPartnerBucket(place.bucket, access);
  return {
    files: () => wrapSourceErrors(findFiles(store, place.path, request.etag)),
    open: (version, offset = 0) => wrapSourceErrors(store.open(version, offset)),
    nameOf: (version) => `s3://${place.bucket}/${version.key}`,
    async failureOf(error) {
      if (error instanceof StorageFault) {
        const { code, advice } = faults[error.code];
        return wholeImportProblem(code, error.message + advice);
      }
      if (!(error instanceof TributaryError) || error.code !== 'unavailable') throw error;
      const failures = await records.jobs.countStorageFailure(claim);
      if (failures < maxStorageAttempts) throw new RetryLater(2 ** failures, error);
      return wholeImportProblem(
        'storage_unavailable',
        `Your bucket could not be read in ${failures} attempts (${messageOf(error)}). Check that it is reachable, then queue the import again.`,
      );
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** The code of each refusal, and advice that the store's message does not contain. */
const faults: Readonly<Record<StorageFault['code'], { code: FailureCode; advice: string }>> = {
  access_denied: { code: 'access_denied', advice: '' },
  no_such_bucket: { code: 'no_files', advice: '' },
  wrong_region: {
    code: 'wrong_region',
    advice: " Queue the import again with the bucket's region in `credentials`.",
  },
};
