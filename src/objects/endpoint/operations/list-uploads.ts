import type { Upload, UploadPosition } from '../../disk/disk-store.ts';
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
import { findUpload } from '../call/uploads.ts';
import { keyEncoding, limitOf } from '../wire/listing.ts';
import { invalidArgument } from '../wire/s3-error.ts';

export async function listParts(call: Call, context: BucketContext): Promise<Answer> {
  const { parameters } = call;
  const limit = limitOf(parameters, 'max-parts');
  const marker = parameters.get('part-number-marker') || '0';
  if (!/^\d{1,5}$/.test(marker)) {
    throw invalidArgument(
      'Provided part-number-marker not an integer',
      'part-number-marker',
      marker,
    );
  }
  const { uploadId } = await findUpload(call, context);
  const found = await context.store.listParts(uploadId, Number(marker), limit + 1);
  const parts = found.slice(0, limit);
  const { encode, members } = keyEncoding(parameters);
  return xmlAnswer('ListPartsResult', {
    Bucket: context.bucket,
    ...members,
    Key: encode(call.key),
    UploadId: uploadId,
    Initiator: owner,
    Owner: owner,
    StorageClass: 'STANDARD',
    PartNumberMarker: Number(marker),
    NextPartNumberMarker: parts.at(-1)?.partNumber ?? 0,
    MaxParts: limit,
    IsTruncated: found.length > limit,
    Part: parts.map(({ partNumber, etag, size, modifiedAt }) => ({
      PartNumber: partNumber,
      LastModified: modifiedAt,
      ETag: quoted(etag),
      Size: size,
    })),
  });
}

export async function listMultipartUploads(
  call: Call,
  { store, bucket }: BucketContext,
): Promise<Answer> {
  const { parameters } = call;
  const prefix = parameters.get('prefix') ?? '';
  requireAccess(call, prefix);
  const delimiter = parameters.get('delimiter') ?? '';
  const keyMarker = parameters.get('key-marker') ?? '';
  const uploadIdMarker = keyMarker === '' ? '' : (parameters.get('upload-id-marker') ?? '');
  const after = uploadIdMarker === '' ? keyMarker : { key: keyMarker, uploadId: uploadIdMarker };
  const limit = limitOf(parameters, 'max-uploads');
  const { encode, members } = keyEncoding(parameters);
  const { items, commonPrefixes, next } = await listPage<UploadPosition, Upload>(
    { prefix, delimiter, after, limit },
    (position, count) => store.listUploads(prefix, uploadPosition(position), count),
  );
  return xmlAnswer('ListMultipartUploadsResult', {
    Bucket: bucket,
    KeyMarker: encode(keyMarker),
    UploadIdMarker: uploadIdMarker,
    NextKeyMarker: next && encode(keyOf(next)),
    NextUploadIdMarker: typeof next === 'object' ? next.uploadId : undefined,
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    ...members,
    MaxUploads: limit,
    IsTruncated: next !== undefined,
    Upload: items.map((upload) => ({
      Key: encode(upload.key),
      UploadId: upload.uploadId,
      Initiator: owner,
      Owner: owner,
      StorageClass: 'STANDARD',
      Initiated: upload.startedAt,
    })),
    CommonPrefixes: commonPrefixes.map((common) => ({ Prefix: encode(common) })),
  });
}

/** A position after a key is after all uploads to that key. */
function uploadPosition(position: UploadPosition | string): UploadPosition | null {
  if (typeof position !== 'string') return position;
  return position === '' ? null : { key: position, uploadId: '\u{10ffff}' };
}
