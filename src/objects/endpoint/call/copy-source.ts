import type { StoredObject } from '../../disk/disk-store.ts';
import { invalidArgument, S3Error } from '../wire/s3-error.ts';
import { uriDecode } from '../wire/uri.ts';
import { type BucketContext, type Call, requireAccess } from './call.ts';
import { checkConditions, preconditionFailed } from './conditions.ts';

export interface CopySource {
  readonly key: string;
  /** Throws unless the object meets the conditions of the copy. */
  check(object: StoredObject): void;
}

/** Reads the source of a copy. Throws if the caller may not access it. */
export function openCopySource(call: Call, { bucket }: BucketContext): CopySource {
  const header = call.headers.get('x-amz-copy-source') ?? '';
  const [, encoded = '', version = 'null'] = /^([^?]*)(?:\?versionId=(.*))?$/.exec(header) ?? [];
  const [, sourceBucket, key] = /^\/?([^/]+)\/(.+)$/s.exec(uriDecode(encoded) ?? '') ?? [];
  if (sourceBucket === undefined || key === undefined || key.includes('\0')) {
    throw invalidArgument(
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
      'x-amz-copy-source',
      header,
    );
  }
  if (sourceBucket !== bucket) throw new S3Error('AccessDenied');
  requireAccess(call, key);
  if (version !== 'null') throw new S3Error('NoSuchVersion');
  return {
    key,
    check(object) {
      const outcome = checkConditions(object, call.headers, 'x-amz-copy-source-if-');
      if (outcome === 'not_modified') throw preconditionFailed('x-amz-copy-source-If-None-Match');
    },
  };
}
