import { resolve } from 'node:path';
import type { BackupStorage } from '../config/config.ts';
import { openFolderTarget } from './folder-target.ts';
import { isSetName } from './set-name.ts';
import { BackupError, type BackupTarget } from './target.ts';

/** Where sets are, and one of them if the address ends in its name. */
export interface SetAddress {
  readonly target: string;
  readonly set: string | null;
}

/** `<target>` or `<target>/<set>`. A relative folder begins at the working directory. */
export function parseAddress(text: string, workingDir: string): SetAddress {
  const isBucket = text.startsWith('s3://');
  const address = isBucket ? text.replace(/\/+$/, '') : resolve(workingDir, text);
  const at = address.lastIndexOf('/');
  const name = address.slice(at + 1);
  return isSetName(name)
    ? { target: address.slice(0, at) || '/', set: name }
    : { target: address, set: null };
}

/** Opens a folder, or `s3://bucket/prefix` with the credentials of the settings. */
export async function openTarget(
  address: string,
  storage: BackupStorage | null,
): Promise<BackupTarget> {
  if (!address.startsWith('s3://')) return openFolderTarget(address);
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(address) ?? [];
  if (bucket === undefined) {
    throw new BackupError(`${address} is not a bucket: write s3://bucket or s3://bucket/prefix`);
  }
  if (!storage) {
    throw new BackupError(
      `The credentials for ${address} are missing: set TRIBUTARY_BACKUP_S3_REGION, TRIBUTARY_BACKUP_S3_ACCESS_KEY_ID and TRIBUTARY_BACKUP_S3_SECRET_ACCESS_KEY`,
    );
  }
  // The AWS SDK is large, so it is loaded only if needed.
  const { openS3Target } = await import('./s3-target.ts');
  const { accessKeyId, secretAccessKey, ...place } = storage;
  return openS3Target(address, prefix === '' ? '' : `${prefix}/`, {
    ...place,
    bucket,
    credentials: { accessKeyId, secretAccessKey },
  });
}
