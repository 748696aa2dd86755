import type { ObjectHeaders, StoredObject } from '../../disk/disk-store.ts';
import type { Headers } from '../body/payload.ts';
import { invalidArgument, S3Error } from '../wire/s3-error.ts';
import { quoted } from './call.ts';

const metadataPrefix = 'x-amz-meta-';
const maximumMetadataBytes = 2_048;
const acceptedAcls = new Set(['private', 'bucket-owner-full-control', 'bucket-owner-read']);

/** Headers that would change how the object is stored. Ignoring them would break a promise. */
const unsupported =
  /^(?:x-amz-server-side-encryption.*|x-amz-tagging|x-amz-object-lock-.*|x-amz-website-redirect-location|x-amz-grant-.*|x-amz-write-offset-bytes)$/;

/** The content type and metadata of an upload. */
export function readObjectHeaders(headers: Headers): ObjectHeaders {
  const metadata = [...headers]
    .filter(([name]) => name.startsWith(metadataPrefix))
    .map(([name, value]) => [name.slice(metadataPrefix.length), value] as const);
  const bytes = metadata.flat().join('').length;
  if (bytes > maximumMetadataBytes) {
    throw new S3Error('MetadataTooLarge', undefined, {
      Size: String(bytes),
      MaxSizeAllowed: String(maximumMetadataBytes),
    });
  }
  return {
    contentType: headers.get('content-type') || 'binary/octet-stream',
    metadata: Object.fromEntries(metadata),
  };
}

export function refuseUnsupported(headers: Headers): void {
  for (const name of headers.keys()) {
    if (unsupported.test(name)) throw new S3Error('NotImplemented', undefined, { Header: name });
  }
  const acl = headers.get('x-amz-acl');
  if (acl !== undefined && !acceptedAcls.has(acl)) {
    throw new S3Error('AccessControlListNotSupported');
  }
  const storageClass = headers.get('x-amz-storage-class') ?? 'STANDARD';
  if (storageClass !== 'STANDARD') {
    throw new S3Error('InvalidStorageClass', undefined, { StorageClassRequested: storageClass });
  }
}

export function describeObject(object: StoredObject): Record<string, string> {
  const metadata = Object.entries(object.metadata).map(([name, value]) => [
    metadataPrefix + name,
    value,
  ]);
  return {
    ...Object.fromEntries(metadata),
    'accept-ranges': 'bytes',
    'content-type': object.contentType,
    etag: quoted(object.etag),
    'last-modified': object.modifiedAt.toUTCString(),
  };
}

const overrides = [
  'content-type',
  'content-language',
  'expires',
  'cache-control',
  'content-disposition',
  'content-encoding',
];

/** Response headers chosen by the caller, for example to name a download. */
export function overriddenHeaders(parameters: ReadonlyMap<string, string>): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const name of overrides) {
    const value = parameters.get(`response-${name}`);
    if (value === undefined) continue;
    if (/\p{Cc}/u.test(value)) {
      throw invalidArgument('Header value cannot be represented.', `response-${name}`, value);
    }
    chosen[name] = headerBytes(value);
  }
  return chosen;
}

/** Encodes text for a header: one character per UTF-8 byte. */
export function headerBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
