/**
 * What DROP needs of the suppressed devices. A digest is the first half of the SHA-256 of a standardised
 * identifier. Digests are passed in batches: one after the other in an array of bytes.
 */
export interface Suppressions {
  /**
   * Adds digests. When it resolves, they are durable, and no load that commits later stores their
   * devices. Returns the version that holds them. Adding a digest again changes nothing.
   */
  suppress(digests: ReadDigests, signal: AbortSignal): Promise<number>;
  /** Whether every stored device was compared with the digests of that version. */
  isMatched(version: number): Promise<boolean>;
  /** The digests of which a stored device was found, in parts of limited size. */
  readMatches(signal: AbortSignal): AsyncIterable<Matches>;
  /** A version of the devices to delete, which has all that were found until now. */
  foundVersion(): Promise<number>;
  /** Whether the devices of that version are deleted everywhere. */
  isRemoved(foundVersion: number): Promise<boolean>;
  /** Whether no file has the bytes of a device that was deleted by that time. */
  isGone(removedAt: Date): Promise<boolean>;
  /** Lifts digests that came only from DROP. Others stay. Lifting again changes nothing. */
  lift(digests: ReadDigests, signal: AbortSignal): Promise<void>;
}

/** Reads batches of digests from the beginning. It may be called several times. */
export type ReadDigests = () => AsyncIterable<Uint8Array>;

export interface Matches {
  /** For each digest of the batch 1 if this part has it, otherwise 0. */
  among(digests: Uint8Array): Promise<Uint8Array>;
}
