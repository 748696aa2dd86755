import { limits } from '../../../domain/limits.ts';
import type { WriteCondition } from '../../../records/objects/object-index.ts';
import type { ListedPart, StoredObject } from '../../disk/disk-store.ts';
import { joinedEtag } from '../../disk/join-parts.ts';
import { checksumHeaders } from '../body/declared-checksums.ts';
import {
  type Answer,
  type BucketContext,
  type Call,
  quoted,
  readXml,
  unquoted,
  xmlAnswer,
} from '../call/call.ts';
import { readWriteCondition, refuseWriteCondition } from '../call/conditions.ts';
import { readObjectHeaders, refuseUnsupported } from '../call/object-headers.ts';
import { findUpload } from '../call/uploads.ts';
import { S3Error } from '../wire/s3-error.ts';
import { elementsOf, textOf } from '../wire/xml.ts';

export async function createMultipartUpload(
  call: Call,
  { store, bucket }: BucketContext,
): Promise<Answer> {
  refuseUnsupported(call.headers);
  refuseWriteCondition(call.headers);
  const uploadId = await store.beginUpload(call.key, readObjectHeaders(call.headers));
  return xmlAnswer('InitiateMultipartUploadResult', {
    Bucket: bucket,
    Key: call.key,
    UploadId: uploadId,
  });
}

export async function completeMultipartUpload(call: Call, context: BucketContext): Promise<Answer> {
  refuseUnsupported(call.headers);
  const condition = readWriteCondition(call.headers);
  const parts = await readParts(call);
  const object = await complete(call, context, parts, condition);
  return xmlAnswer('CompleteMultipartUploadResult', {
    Location: `/${context.bucket}/${call.key}`,
    Bucket: context.bucket,
    Key: call.key,
    ETag: quoted(object.etag),
  });
}

export async function abortMultipartUpload(call: Call, context: BucketContext): Promise<Answer> {
  const { uploadId } = await findUpload(call, context);
  if (!(await context.store.abortUpload(uploadId))) throw new S3Error('NoSuchUpload');
  return { status: 204 };
}

async function complete(
  call: Call,
  context: BucketContext,
  parts: readonly ListedPart[],
  condition: WriteCondition | undefined,
): Promise<StoredObject> {
  try {
    const { uploadId } = await findUpload(call, context);
    const by = call.audited('s3:PutObject', 200);
    const outcome = await context.store.completeUpload(uploadId, parts, condition, by);
    if (outcome === 'no_such_upload') throw new S3Error('NoSuchUpload');
    if (outcome === 'invalid_part') throw new S3Error('InvalidPart');
    return outcome;
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'NoSuchUpload') throw error;
    // A client that lost our response repeats the request; the object already exists.
    const object = await context.store.stat(call.key);
    const isComplete = parts.every(({ etag }) => /^[0-9a-f]{32}$/i.test(etag));
    if (!isComplete || object?.etag !== joinedEtag(parts)) throw error;
    return object;
  }
}

async function readParts(call: Call): Promise<ListedPart[]> {
  // A checksum here covers the object, not the body. Each part was already verified.
  const headers = new Map([...call.headers].filter(([name]) => !checksumHeaders.includes(name)));
  const request = await readXml(call, 'CompleteMultipartUpload', headers);
  const parts = elementsOf(request, 'Part').map((part) => {
    const number = textOf(part, 'PartNumber')?.trim() ?? '';
    const etag = textOf(part, 'ETag')?.trim();
    if (!/^[1-9]\d{0,4}$/.test(number) || !etag) throw new S3Error('MalformedXML');
    return { partNumber: Number(number), etag: unquoted(etag) };
  });
  if (parts.length > limits.uploadParts.most) throw new S3Error('MalformedXML');
  if (parts.some((part, i) => i > 0 && part.partNumber <= parts[i - 1]!.partNumber)) {
    throw new S3Error('InvalidPartOrder');
  }
  return parts;
}
