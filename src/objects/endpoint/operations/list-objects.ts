import type { StoredObject } from '../../disk/disk-store.ts';
import { keyOf, listPage } from '../../list-page.ts';
import {
  type Answer,
  type BucketContext,
  type Call,
  owner,
  quoted,
  requireAccess,
  xmlAnswer,
} from '../call/call.ts';
import { keyEncoding, limitOf } from '../wire/listing.ts';
import { invalidArgument } from '../wire/s3-error.ts';
import type { XmlElement } from '../wire/xml.ts';

export async function listObjectsV2(call: Call, context: BucketContext): Promise<Answer> {
  const { parameters } = call;
  const token = parameters.get('continuation-token');
  const startAfter = parameters.get('start-after') ?? '';
  const after = token === undefined ? startAfter : parseToken(token);
  const page = await readPage(call, context, after);
  return xmlAnswer('ListBucketResult', {
    ...page.request,
    KeyCount: page.items.length + page.commonPrefixes.length,
    IsTruncated: page.next !== undefined,
    ContinuationToken: token,
    NextContinuationToken: page.next && formatToken(page.next),
    StartAfter: startAfter === '' ? undefined : page.encode(startAfter),
    ...entries(page, parameters.get('fetch-owner') === 'true'),
  });
}

export async function listObjectsV1(call: Call, context: BucketContext): Promise<Answer> {
  const marker = call.parameters.get('marker') ?? '';
  const page = await readPage(call, context, marker);
  return xmlAnswer('ListBucketResult', {
    ...page.request,
    Marker: page.encode(marker),
    IsTruncated: page.next !== undefined,
    // Without a delimiter S3 omits it, because the last key is the marker.
    NextMarker: page.request.Delimiter && page.next && page.encode(page.next),
    ...entries(page, true),
  });
}

interface Page {
  readonly items: readonly StoredObject[];
  readonly commonPrefixes: readonly string[];
  readonly next: string | undefined;
  /** The request's parameters, which the response repeats. */
  readonly request: XmlElement;
  encode(key: string): string;
}

async function readPage(
  call: Call,
  { store, bucket }: BucketContext,
  after: string,
): Promise<Page> {
  const { parameters } = call;
  const prefix = parameters.get('prefix') ?? '';
  requireAccess(call, prefix);
  const delimiter = parameters.get('delimiter') ?? '';
  const limit = limitOf(parameters, 'max-keys');
  const { encode, members } = keyEncoding(parameters);
  const { items, commonPrefixes, next } = await listPage(
    { prefix, delimiter, after, limit },
    (position, count) => store.list(prefix, keyOf(position), count),
  );
  return {
    items,
    commonPrefixes,
    next: next && keyOf(next),
    request: {
      Name: bucket,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      ...members,
      MaxKeys: limit,
    },
    encode,
  };
}

function entries({ items, commonPrefixes, encode }: Page, withOwner: boolean): XmlElement {
  return {
    Contents: items.map((object) => ({
      Key: encode(object.key),
      LastModified: object.modifiedAt,
      ETag: quoted(object.etag),
      Size: object.size,
      Owner: withOwner ? owner : undefined,
      StorageClass: 'STANDARD',
    })),
    CommonPrefixes: commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) })),
  };
}

/** The end of the previous page, opaque to clients. */
function formatToken(position: string): string {
  return Buffer.from(position).toString('base64url');
}

function parseToken(token: string): string {
  const position = Buffer.from(token, 'base64url').toString();
  if (position === '' || position.includes('\0') || formatToken(position) !== token) {
    throw invalidArgument(
      'The continuation token provided is incorrect',
      'continuation-token',
      token,
    );
  }
  return position;
}
