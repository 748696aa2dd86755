import { bytes } from '../../parts/format.ts';

/** How much is stored, such as "1.5 GiB of 10 GiB". */
export function storageUsed(storage: {
  readonly bytes: number;
  readonly quota: number | null;
}): string {
  const used = bytes(storage.bytes);
  return storage.quota === null ? used : `${used} of ${bytes(storage.quota)}`;
}

/** For how long files are kept, such as "Deleted 30 days after they were last loaded". */
export function keptInWords(days: number | null): string {
  if (days === null) return 'Kept until they are deleted';
  return `Deleted ${days === 1 ? 'a day' : `${days} days`} after they were last loaded`;
}
