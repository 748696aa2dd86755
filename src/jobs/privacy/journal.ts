/** A part of the journal, and its size. */
export interface JournalPart {
  readonly journalId: string;
  readonly bytes: number;
}

/** A change as a journal keeps it: with digests instead of devices. */
export interface JournalEntry {
  /** The first 16 bytes of each digest, one after the other. */
  readonly digests: Uint8Array;
  readonly isLifted: boolean;
}

/**
 * Keeps what was suppressed outside the database, so that an older database that is restored gets it
 * back. It has one part that grows, or many that do not.
 */
export interface SuppressionJournal {
  /** When it resolves, the entries are durable. Returns the part that they are in, up to their end. */
  append(entries: Iterable<JournalEntry> | AsyncIterable<JournalEntry>): Promise<JournalPart>;
  /** In the order in which they were written. */
  parts(): AsyncIterable<JournalPart>;
  /** The entries of a part after that many bytes. Damaged ones are skipped. */
  read(part: JournalPart, from: number, onDamaged: () => void): AsyncIterable<JournalEntry>;
}
