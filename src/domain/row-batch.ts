/**
 * Rows on the way from a file to the warehouse, packed into 32-bit words. A row starts with its
 * device: four words with the first byte in the highest bits, so words compare like the bytes. Then
 * follow a header and, if the header is a count, segment numbers:
 *
 * - `inPlace | n`: the row names the segment with number n;
 * - a count: the row names that many segments, whose numbers follow;
 * - either with `removal`: the device is removed from those segments, or from all if the count is 0.
 */
export interface RowBatch {
  /** Shared memory, so threads read it without a copy. Holds only complete rows. */
  readonly words: Uint32Array<SharedArrayBuffer>;
  readonly rows: number;
  /**
   * If given, the numbers in the rows are positions in this table of segment numbers. The entry
   * `leftOut` removes that name from the row.
   */
  readonly numbering: Uint32Array | null;
  /** Frees the memory. The receiver calls it once, after reading the rows. */
  release(): void;
}

export const wordsPerDevice = 4;

export const removal = 0x8000_0000;
export const inPlace = 0x4000_0000;

/** The bits of a header with the count or the segment number. */
export const headerNumber = 0x3fff_ffff;

export const leftOut = 0xffff_ffff;
