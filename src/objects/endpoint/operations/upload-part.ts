import { limits } from '../../../domain/limits.ts';
import type { PutPart } from '../../disk/disk-store.ts';
import type { Payload } from '../body/payload.ts';
import { type Answer, type BucketContext, type Call, quoted, xmlAnswer } from '../call/call.ts';
import { refuseWriteCondition } from '../call/conditions.ts';
import { openCopySource } from '../call/copy-source.ts';
import { withCurrentVersion } from '../call/current-version.ts';
import { refuseUnsupported } from '../call/object-headers.ts';
import { findUpload, partNumberOf } from '../call/uploads.ts';
import { parseRange } from '../wire/byte-range.ts';
import { invalidArgument, S3Error } from '../wire/s3-error.ts';

export async function uploadPart(call: Call, context: BucketContext): Promise<Answer> {
  refuseUnsupported(call.headers);
  refuseWriteCondition(call.headers);
  const { content, checksums } = call.payload(limits.uploadBytes.most, call.headers);
  const { etag } = await putPart(call, context, content);
  return { status: 200, headers: { etag: quoted(etag), ...checksums } };
}

export async function uploadPartCopy(call: Call, context: BucketContext): Promise<Answer> {
  refuseUnsupported(call.headers);
  refuseWriteCondition(call.headers);
  const source = openCopySource(call, context);
  const { etag } = await withCurrentVersion(context.store, source.key, async (object) => {
    source.check(object);
    const { start, end } = copiedRange(call, object.size);
    const bytes = context.store.read(object, start, end);
    return putPart(call, context, Object.assign(bytes, { size: end - start }));
  });
  return xmlAnswer('CopyPartResult', { LastModified: new Date(), ETag: quoted(etag) });
}

async function putPart(
  call: Call,
  context: BucketContext,
  content: Payload['content'],
): Promise<PutPart> {
  const partNumber = partNumberOf(call);
  const { uploadId } = await findUpload(call, context);
  using _reserved = await context.store.reserve(call.key, content.size);
  const part = await context.store.putPart(uploadId, partNumber, content);
  if (part === 'no_such_upload') throw new S3Error('NoSuchUpload');
  return part;
}

/** Unlike a range to read, a range to copy needs both ends and must be within the object. */
function copiedRange({ headers }: Call, size: number) {
  const text = headers.get('x-amz-copy-source-range');
  if (text === undefined) return { start: 0, end: size };
  const range = /^bytes=\d+-\d+$/.test(text) ? parseRange(text, size) : undefined;
  const lastByte = Number(text.slice(text.indexOf('-') + 1));
  if (range === undefined || range === 'unsatisfiable' || lastByte >= size) {
    throw invalidArgument(
      `Range specified is not valid for source object of size: ${size}`,
      'x-amz-copy-source-range',
      text,
    );
  }
  return range;
}
