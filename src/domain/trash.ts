/** Keeps files that the database does not know, in case it was restored from an older backup. */
export interface Trash {
  /** Moves the files into the trash. Files that no longer exist are ignored. */
  add(paths: readonly string[]): Promise<void>;
  /** Deletes files that have been in the trash long enough, and returns their number. */
  removeExpired(): Promise<number>;
}
