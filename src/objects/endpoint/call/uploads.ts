import { limits } from '../../../domain/limits.ts';
import type { Upload } from '../../disk/disk-store.ts';
import { invalidArgument, S3Error } from '../wire/s3-error.ts';
import type { BucketContext, Call } from './call.ts';

/** Finds the upload that a request names. It must belong to the request's key. */
export async function findUpload(
  { key, parameters }: Call,
  { store }: BucketContext,
): Promise<Upload> {
  const uploadId = parameters.get('uploadId') ?? '';
  const upload = await store.findUpload(uploadId);
  if (upload?.key !== key) throw new S3Error('NoSuchUpload', undefined, { UploadId: uploadId });
  return upload;
}

export function partNumberOf({ parameters }: Call): number {
  const text = parameters.get('partNumber') ?? '';
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= limits.uploadParts.most) return number;
  throw invalidArgument(
    `Part number must be an integer between 1 and ${limits.uploadParts.most}, inclusive`,
    'partNumber',
    text,
  );
}
