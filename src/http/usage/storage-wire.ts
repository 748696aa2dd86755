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
});

export function storageOnTheWire({ bytes, quota, openUploads }: StorageUse) {
  return { bytes, quota, open_uploads: openUploads };
}
