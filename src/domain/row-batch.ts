/**
 * Rows on their way from a file to the warehouse, packed into 32-bit words. Each row is its device
 * (four words, the first bytes in the first word, so that numbers compare as the bytes do), then a
 * header, then what the header announces:
 *
 * - `inPlace | n`: the row names the segment numbered n;
 * - a count: the row names that many segments, whose numbers follow;
 * - either with `removal`: the device leaves those segments instead; all of them if the count is 0.
 */
export interface RowBatch {
  /** Shared memory, so that threads read it where it is. Holds whole rows and nothing else. */
  readonly words: Uint32Array<SharedArrayBuffer>;
  readonly rows: number;
  /**
   * If given, numbers in the rows are positions here, and what stands there is the number meant,
   * or `leftOut` if the row loses the name (and nothing else).
   */
  readonly numbering: Uint32Array | null;
  /** Gives the memory back. Whoever was handed the batch calls it once, when the rows are taken. */
  release(): void;
}

export const wordsPerDevice = 4;

export const removal = 0x8000_0000;
export const inPlace = 0x4000_0000;

/** What of a header says how many numbers follow, or which one is meant. */
export const headerNumber = 0x3fff_ffff;

export const leftOut = 0xffff_ffff;
