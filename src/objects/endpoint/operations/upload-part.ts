import type { PutPart } from '../../disk/disk-store.ts';
import {
  type Answer,
  type Call,
  maximumUploadBytes,
  quoted,
  type Site,
  xmlAnswer,
} from '../call/call.ts';
import { openCopySource } from '../call/copy-source.ts';
import { refuseUnsupported } from '../call/object-headers.ts';
import { findUpload, partNumberOf } from '../call/uploads.ts';
import { ofCurrentVersion } from '../call/versions.ts';
import { parseRange } from '../wire/byte-range.ts';
import { invalidArgument, S3Error } from '../wire/s3-error.ts';

export async function uploadPart(call: Call, site: Site): Promise<Answer> {
  refuseUnsupported(call.headers);
  const { content, checksums } = call.payload(maximumUploadBytes, call.headers);
  const { etag } = await putPart(call, site, content);
  return { status: 200, headers: { etag: quoted(etag), ...checksums } };
}

export async function uploadPartCopy(call: Call, site: Site): Promise<Answer> {
  refuseUnsupported(call.headers);
  const source = openCopySource(call, site);
  const { etag } = await ofCurrentVersion(site.store, source.key, async (object) => {
    source.check(object);
    const { start, end } = copiedRange(call, object.size);
    return putPart(call, site, site.store.read(object, start, end));
  });
  return xmlAnswer('CopyPartResult', { LastModified: new Date(), ETag: quoted(etag) });
}

async function putPart(
  call: Call,
  site: Site,
  content: AsyncIterable<Uint8Array>,
): Promise<PutPart> {
  const partNumber = partNumberOf(call);
  const { uploadId } = await findUpload(call, site);
  const part = await site.store.putPart(uploadId, partNumber, content);
  if (part === 'no_such_upload') throw new S3Error('NoSuchUpload');
  return part;
}

/** Unlike a range to read, one to copy must have both ends and lie within the object. */
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
