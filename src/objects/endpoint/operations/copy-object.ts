import { type Answer, type Call, quoted, type Site, xmlAnswer } from '../call/call.ts';
import { openCopySource } from '../call/copy-source.ts';
import { readObjectHeaders, refuseUnsupported } from '../call/object-headers.ts';
import { ofCurrentVersion } from '../call/versions.ts';
import { invalidArgument, S3Error } from '../wire/s3-error.ts';

export async function copyObject(call: Call, site: Site): Promise<Answer> {
  refuseUnsupported(call.headers);
  const source = openCopySource(call, site);
  const replacement = replacesHeaders(call) ? readObjectHeaders(call.headers) : undefined;
  if (source.key === call.key && !replacement) {
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    );
  }
  const copy = await ofCurrentVersion(site.store, source.key, async (object) => {
    source.check(object);
    return site.store.copy(object, call.key, replacement);
  });
  return xmlAnswer('CopyObjectResult', { LastModified: copy.modifiedAt, ETag: quoted(copy.etag) });
}

function replacesHeaders({ headers }: Call): boolean {
  const directive = headers.get('x-amz-metadata-directive') ?? 'COPY';
  if (directive === 'COPY' || directive === 'REPLACE') return directive === 'REPLACE';
  throw invalidArgument('Unknown metadata directive.', 'x-amz-metadata-directive', directive);
}
