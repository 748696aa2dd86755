import { invalidInput, type TributaryError } from './errors.ts';
import { limits } from './limits.ts';

/**
 * The key in the shared bucket that a `file_path` names: the partner's prefix and the path. The
 * result always begins with the prefix; any other path is refused.
 */
export function sharedBucketKey(prefix: string, filePath: string): string | TributaryError {
  if (isAddress(filePath)) {
    return refused(
      'must be relative to your prefix in the shared bucket: leave out s3:// and the bucket',
    );
  }
  return keyBelow(prefix, withoutSlash(filePath));
}

/**
 * The same for the files of audiences. Their path may also begin with the prefix, or with the bucket
 * and the prefix, and then names the same key.
 */
export function audienceKey(
  bucket: string,
  prefix: string,
  filePath: string,
): string | TributaryError {
  if (isAddress(filePath)) {
    const address = `s3://${bucket}/${prefix}`;
    return filePath.startsWith(address)
      ? keyBelow(prefix, filePath.slice(address.length))
      : refused(`must be relative to your prefix, or begin with ${address}`);
  }
  const path = withoutSlash(filePath);
  return keyBelow(prefix, path.startsWith(prefix) ? path.slice(prefix.length) : path);
}

function isAddress(filePath: string): boolean {
  return /^s3:\/\//i.test(filePath);
}

function withoutSlash(filePath: string): string {
  return filePath.startsWith('/') ? filePath.slice(1) : filePath;
}

function keyBelow(prefix: string, relative: string): string | TributaryError {
  if (relative === '') {
    return refused('is empty: name a file, or a prefix of files, below your prefix');
  }
  return faultOf(relative) ?? limited(prefix + relative, ' together with your prefix');
}

/** A path in the partner's own bucket. */
export interface BucketPath {
  readonly bucket: string;
  readonly path: string;
}

/** Parses `s3://<bucket>/<path>`. No accepted bucket name can lead to another host. */
export function partnerBucketPath(filePath: string): BucketPath | TributaryError {
  const [, bucket, path] = /^s3:\/\/([^/]*)\/(.*)$/s.exec(filePath) ?? [];
  if (bucket === undefined || path === undefined) {
    return refused('must have the form s3://<bucket>/<path> with path_type 1');
  }
  if (!isBucketName(bucket)) {
    return refused(`names ${JSON.stringify(bucket)}, which is not a valid bucket name`);
  }
  if (path === '')
    return refused('has no path after the bucket: name a file, or a prefix of files');
  const fault = faultOf(path);
  if (fault) return fault;
  const key = limited(path, '');
  return typeof key === 'string' ? { bucket, path: key } : key;
}

/** S3's rule: labels of lower-case letters, digits and hyphens, separated by dots, but no IP address. */
export function isBucketName(text: string): boolean {
  const labels =
    /^(?=.{3,63}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;
  return labels.test(text) && !/^\d+(?:\.\d+)*$/.test(text);
}

/** The format of AWS's region names. It becomes part of a host name, so it must be strict. */
export function isAwsRegion(text: string): boolean {
  return /^[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/.test(text);
}

function faultOf(path: string): TributaryError | undefined {
  if (hasControlCharacters(path)) return refused('must not contain control characters');
  if (!path.isWellFormed()) return refused('must be well-formed Unicode');
  if (path.split('/').includes('..')) return refused('must not contain a ".." segment');
  return undefined;
}

function limited(key: string, suffix: string): string | TributaryError {
  return Buffer.byteLength(key) <= maximumKeyBytes
    ? key
    : refused(`is too long: the key exceeds ${maximumKeyBytes} bytes${suffix}`);
}

/** S3's limit. */
export const maximumKeyBytes = limits.objectKeyBytes.most;

export function hasControlCharacters(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function refused(why: string): TributaryError {
  return invalidInput('/file_path', `file_path ${why}`);
}
