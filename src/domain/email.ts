/**
 * Equal for addresses that differ only in letter case or Unicode normalisation. Not computed in the
 * database, which folds the case of ASCII only.
 */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
