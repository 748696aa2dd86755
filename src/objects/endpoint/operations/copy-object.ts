import { type Answer, type BucketContext, type Call, quoted, xmlAnswer } from '../call/call.ts';
import { readWriteCondition } from '../call/conditions.ts';
import { openCopySource } from '../call/copy-source.ts';
import { withCurrentVersion } from '../call/current-version.ts';
import { readObjectHeaders, refuseUnsupported } from '../call/object-headers.ts';
import { invalidArgument, S3Error } from '../wire/s3-error.ts';

export async function copyObject(call: Call, context: BucketContext): Promise<Answer> {
  refuseUnsupported(call.headers);
  const condition = readWriteCondition(call.headers);
  const source = openCopySource(call, context);
  const replacement = replacesHeaders(call) ? readObjectHeaders(call.headers) : undefined;
  if (source.key === call.key && !replacement) {
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    );
  }
  const copy = await withCurrentVersion(context.store, source.key, async (object) => {
    source.check(object);
    using _reserved = await context.store.reserve(call.key, object.size);
    const by = call.audited('s3:PutObject', 200);
    return await context.store.copy(object, call.key, replacement, condition, by);
  });
  return xmlAnswer('CopyObjectResult', { LastModified: copy.modifiedAt, ETag: quoted(copy.etag) });
}

function replacesHeaders({ headers }: Call): boolean {
  const directive = headers.get('x-amz-metadata-directive') ?? 'COPY';
  if (directive === 'COPY' || directive === 'REPLACE') return directive === 'REPLACE';
  throw invalidArgument('Unknown metadata directive.', 'x-amz-metadata-directive', directive);
}
