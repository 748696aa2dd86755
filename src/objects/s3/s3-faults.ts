import { S3ServiceException } from '@aws-sdk/client-s3';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import { StorageFault } from '../port.ts';

export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** S3 returns some credential errors and some transient errors with status 400. */
const credentialErrors = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
]);
/** Also when our clock or the store's is wrong: the SDK corrects that, unless a clock changes meanwhile. */
export const transientErrors = new Set([
  'SlowDown',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'Throttling',
  'ThrottlingException',
]);
/** A new bucket whose name has not yet spread in AWS, a slow request, too many requests. */
export const transientStatuses = new Set([307, 408, 429]);

/**
 * Translates a failed request; unexpected errors stay as they are. The bucket's owner reads the messages,
 * so they must not reveal where the operator's stores are.
 */
export function translateS3Error(
  error: unknown,
  { bucket, region }: { readonly bucket: string; readonly region: string },
): unknown {
  if (!(error instanceof S3ServiceException)) {
    return isNetworkFault(error) ? unavailable(codeOf(error) ?? error.name) : error;
  }
  const name = plainCode(error.name);
  const status = statusOf(error) ?? 0;
  if (status >= 500 || transientStatuses.has(status) || transientErrors.has(name)) {
    return unavailable(`${status} ${name}`);
  }
  if (name === 'NoSuchBucket' || name === 'InvalidBucketName') {
    return fault('no_such_bucket', `The bucket ${bucket} does not exist in the region ${region}.`);
  }
  const actual = otherRegion(error, region);
  if (actual || (status >= 300 && status < 400)) {
    const where = actual ? ` but in ${actual}` : '';
    return fault('wrong_region', `The bucket ${bucket} is not in the region ${region}${where}.`);
  }
  if (status === 401 || status === 403 || credentialErrors.has(name)) {
    return fault(
      'access_denied',
      `The bucket ${bucket} refused the credentials (${name}). They must be valid and allow listing the bucket and reading its objects.`,
    );
  }
  return error;

  function fault(code: StorageFault['code'], message: string): StorageFault {
    return new StorageFault(code, message, { cause: error });
  }

  function unavailable(why: string): TributaryError {
    return new TributaryError('unavailable', `The bucket ${bucket} is unavailable: ${why}.`, {
      cause: error,
    });
  }
}

/** The store chooses the code, and partners and operators read it, so anything unusual is left out. */
export function plainCode(code: string): string {
  return /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : 'unknown error code';
}

/**
 * The bucket's region according to the store, if it differs from the requested one. The text is shown to
 * partners and operators, so anything but a region's name is ignored.
 */
function otherRegion(error: S3ServiceException, requested: string): string | undefined {
  const { Region } = error as { Region?: unknown };
  const named = error.$response?.headers['x-amz-bucket-region'] ?? Region;
  if (typeof named !== 'string' || !/^[A-Za-z0-9-]{1,40}$/.test(named)) return undefined;
  return named === requested ? undefined : named;
}

/** No connection, a broken one, an unknown host name or an invalid certificate. */
export function isNetworkFault(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? '';
  return (
    error.name === 'TimeoutError' || /^E[A-Z0-9]+$|^ERR_(SSL|TLS)_|^UNABLE_TO_|CERT/.test(code)
  );
}
