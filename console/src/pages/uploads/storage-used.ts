import { bytes } from '../../parts/format.ts';

/** How much is stored, such as "1.5 GiB of 10 GiB". */
export function storageUsed(storage: {
  readonly bytes: number;
  readonly quota: number | null;
}): string {
  const used = bytes(storage.bytes);
  return storage.quota === null ? used : `${used} of ${bytes(storage.quota)}`;
}
