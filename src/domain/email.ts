/**
 * What makes two addresses the same: those that look alike, or differ in letter case only, are one.
 * Here and not in the database, which folds the case of ASCII only.
 */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
