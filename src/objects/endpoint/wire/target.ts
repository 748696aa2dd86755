import { maximumKeyBytes } from '../../../domain/source-path.ts';
import { S3Error } from './s3-error.ts';
import { uriDecode, uriEncode, uriEncodePath } from './uri.ts';

/** The target of a request: the service, a bucket or an object. */
export interface Target {
  /** Undefined for the service. */
  readonly bucket: string | undefined;
  /** Empty for the bucket. */
  readonly key: string;
  /** Decoded, in the order received. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** The path in SigV4's encoding. */
  readonly canonicalPath: string;
}

/**
 * Parses the request target without normalising it: S3 neither resolves `..` nor merges slashes, and
 * the signature covers the path as sent.
 */
export function parseTarget(url: string, host: string, ourBucket: string): Target {
  const [rawPath = '', rawQuery = ''] = splitOnce(url, '?');
  const path = uriDecode(rawPath);
  if (!path?.startsWith('/') || path.includes('\0')) throw new S3Error('InvalidURI');
  const { bucket, key } = locate(path, host, ourBucket);
  if (Buffer.byteLength(key) > maximumKeyBytes) {
    throw new S3Error('KeyTooLongError', undefined, {
      Size: String(Buffer.byteLength(key)),
      MaxSizeAllowed: String(maximumKeyBytes),
    });
  }
  return {
    bucket,
    key,
    parameters: parseQuery(rawQuery),
    canonicalPath: uriEncodePath(path),
  };
}

/** Encoded and sorted by name, then by value. A name without `=` has an empty value. */
export function canonicalQuery(parameters: Target['parameters']): string {
  return parameters
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/**
 * The bucket is in the host or in the path. A host may begin with the bucket's name by chance
 * (`tributary.example.com`). The path decides, because no key begins with the bucket's name.
 */
function locate(path: string, host: string, ourBucket: string): Pick<Target, 'bucket' | 'key'> {
  const [first = '', rest = ''] = splitOnce(path.slice(1), '/');
  if (first !== ourBucket && host.toLowerCase().startsWith(`${ourBucket}.`)) {
    return { bucket: ourBucket, key: path.slice(1) };
  }
  return { bucket: first === '' ? undefined : first, key: first === '' ? '' : rest };
}

function parseQuery(query: string): [string, string][] {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [rawName = '', rawValue = ''] = splitOnce(part.replaceAll('+', ' '), '=');
      const name = uriDecode(rawName);
      const value = uriDecode(rawValue);
      if (name === undefined || value === undefined || value.includes('\0')) {
        throw new S3Error('InvalidURI');
      }
      return [name, value];
    });
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
