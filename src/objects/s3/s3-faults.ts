import { S3ServiceException } from '@aws-sdk/client-s3';
import { codeOf, TributaryError } from '../../domain/errors.ts';
import { StorageFault } from '../port.ts';
import type { S3Options } from './s3-client.ts';

export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** Some of what S3 answers with status 400 is about the credentials, or passes. */
const refusals = new Set([
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
]);
const delays = new Set(['SlowDown', 'RequestTimeout', 'Throttling', 'ThrottlingException']);
/** A new bucket that not all of AWS knows of yet, a slow request, too many requests. */
const passingStatuses = new Set([307, 408, 429]);

/**
 * What a failed request means to who reads or writes objects; surprises stay what they are. The
 * words are for the owner of the bucket, who need not know where the operator's stores are.
 */
export function translate(error: unknown, { bucket, region }: S3Options): unknown {
  if (!(error instanceof S3ServiceException)) {
    return isNetworkFault(error) ? away(codeOf(error) ?? error.name) : error;
  }
  const { name } = error;
  const status = statusOf(error) ?? 0;
  if (status >= 500 || passingStatuses.has(status) || delays.has(name)) {
    return away(`${status} ${name}`);
  }
  if (name === 'NoSuchBucket' || name === 'InvalidBucketName') {
    return fault('no_such_bucket', `There is no bucket ${bucket} in the region ${region}.`);
  }
  const elsewhere = regionIn(error, region);
  if (elsewhere || (status >= 300 && status < 400)) {
    const where = elsewhere ? ` but in ${elsewhere}` : '';
    return fault('no_such_bucket', `The bucket ${bucket} is not in the region ${region}${where}.`);
  }
  if (status === 401 || status === 403 || refusals.has(name)) {
    return fault(
      'access_denied',
      `The bucket ${bucket} refuses the credentials (${name}): they must be valid, and allow listing the bucket and reading its objects.`,
    );
  }
  return error;

  function fault(code: StorageFault['code'], message: string): StorageFault {
    return new StorageFault(code, message, { cause: error });
  }

  function away(why: string): TributaryError {
    return new TributaryError('unavailable', `The bucket ${bucket} cannot be reached: ${why}.`, {
      cause: error,
    });
  }
}

/** The region that the store names instead of the one it was asked in. */
function regionIn(error: S3ServiceException, asked: string): string | undefined {
  const { Region } = error as { Region?: unknown };
  const named = error.$response?.headers['x-amz-bucket-region'] ?? Region;
  return typeof named === 'string' && named !== asked ? named : undefined;
}

/** No connection, a broken one, a host name or a certificate that is not good. */
function isNetworkFault(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? '';
  return (
    error.name === 'TimeoutError' || /^E[A-Z0-9]+$|^ERR_(SSL|TLS)_|^UNABLE_TO_|CERT/.test(code)
  );
}
