import { Type } from 'typebox';
import type { StorageUse } from '../../records/objects/storage-use.ts';
import { Nullable } from '../server/wire.ts';

export const StorageMembers = Type.Object({
  bytes: Type.Integer({
    description:
      'Bytes in the embedded object store, of objects and of parts of open multipart uploads. 0 if the shared bucket is in an external store.',
  }),
  quota: Nullable(Type.Integer(), {
    description: 'The most bytes. Uploads beyond it are refused. Null for any number.',
  }),
  open_uploads: Type.Integer({
    description: 'Multipart uploads that are neither completed nor aborted.',
  }),
  uploads_kept_days: Nullable(Type.Integer(), {
    description:
      'A file is deleted this many days after it was last loaded, or after its upload if it never was. A file that a pending or running job may read stays. Null: files are kept for good.',
    examples: [30],
  }),
});

/** `days` is for how many days the service keeps uploads of partners without a number of their own. */
export function storageOnTheWire(use: StorageUse, days: number | null) {
  const { bytes, quota, openUploads, retentionDays } = use;
  // 0 days are for good.
  const uploads_kept_days = (retentionDays ?? days) || null;
  return { bytes, quota, open_uploads: openUploads, uploads_kept_days };
}
