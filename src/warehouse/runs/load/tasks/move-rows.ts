import { headerNumber, inPlace, wordsPerDevice } from '../../../../domain/row-batch.ts';
import type { BitWindow } from '../../devices/bit-window.ts';
import { wordsPerRow } from '../../devices/rows.ts';

/** For each bucket, its number of words and rows, or the place of its next row. */
export interface BucketPlaces {
  readonly words: Int32Array;
  readonly rows: Int32Array;
}

/**
 * Counts the rows and words of each bucket. The loops here may read the word after a device, but the
 * window ends before it. They shift right in two steps, because JavaScript ignores a shift by 32 bits.
 */
export function countRows(rows: Uint32Array, { prefix, bits }: BitWindow): BucketPlaces {
  const word = prefix >>> 5;
  const bit = prefix & 31;
  const unused = 32 - bits;
  const words = new Int32Array(1 << bits);
  const counts = new Int32Array(1 << bits);
  for (let at = 0; at < rows.length; ) {
    const bucket =
      ((rows[at + word]! << bit) | ((rows[at + word + 1]! >>> 1) >>> (31 - bit))) >>> unused;
    const header = rows[at + wordsPerDevice]!;
    const size = wordsPerRow + ((header & inPlace) !== 0 ? 0 : header & headerNumber);
    words[bucket]! += size;
    counts[bucket]!++;
    at += size;
  }
  return { words, rows: counts };
}

/**
 * The same for rows without lists, which may be in several chunks. It takes 3 ns a row instead of 12,
 * because all rows have the same size.
 */
export function countShortRows(chunks: readonly Uint32Array[], window: BitWindow): BucketPlaces {
  const rows = new Int32Array(1 << window.bits);
  for (const chunk of chunks) countChunk(chunk, window, rows);
  return { words: rows.map((count) => count * wordsPerRow), rows };
}

function countChunk(rows: Uint32Array, { prefix, bits }: BitWindow, counts: Int32Array): void {
  const bit = prefix & 31;
  const unused = 32 - bits;
  for (let at = prefix >>> 5; at < rows.length; at += wordsPerRow) {
    const bucket = ((rows[at]! << bit) | ((rows[at + 1]! >>> 1) >>> (31 - bit))) >>> unused;
    counts[bucket]!++;
  }
}

/** Moves rows to their buckets, writes their positions, and advances the places. */
export function moveRows(
  rows: Uint32Array,
  { prefix, bits }: BitWindow,
  places: BucketPlaces,
  moved: Uint32Array,
  positions: Uint32Array,
): void {
  const word = prefix >>> 5;
  const bit = prefix & 31;
  const unused = 32 - bits;
  const { words, rows: counts } = places;
  for (let at = 0; at < rows.length; ) {
    const bucket =
      ((rows[at + word]! << bit) | ((rows[at + word + 1]! >>> 1) >>> (31 - bit))) >>> unused;
    const header = rows[at + wordsPerDevice]!;
    const size = wordsPerRow + ((header & inPlace) !== 0 ? 0 : header & headerNumber);
    const to = words[bucket]!;
    const row = counts[bucket]!;
    for (let i = 0; i < size; i++) moved[to + i] = rows[at + i]!;
    words[bucket] = to + size;
    counts[bucket] = row + 1;
    positions[row] = to;
    at += size;
  }
}

/** The same for rows without lists, which may be in several chunks: 12 ns a row instead of 22. */
export function moveShortRows(
  chunks: readonly Uint32Array[],
  window: BitWindow,
  places: BucketPlaces,
  moved: Uint32Array,
  positions: Uint32Array,
): void {
  const { words, rows: counts } = places;
  for (const chunk of chunks) moveChunk(chunk, window, words, moved);
  for (let bucket = 0; bucket < words.length; bucket++)
    counts[bucket] = words[bucket]! / wordsPerRow;
  const count = counts.at(-1)!;
  for (let row = 0; row < count; row++) positions[row] = row * wordsPerRow;
}

function moveChunk(
  rows: Uint32Array,
  { prefix, bits }: BitWindow,
  words: Int32Array,
  moved: Uint32Array,
): void {
  const word = prefix >>> 5;
  const bit = prefix & 31;
  const unused = 32 - bits;
  for (let at = 0; at < rows.length; at += wordsPerRow) {
    const bucket =
      ((rows[at + word]! << bit) | ((rows[at + word + 1]! >>> 1) >>> (31 - bit))) >>> unused;
    const to = words[bucket]!;
    moved[to] = rows[at]!;
    moved[to + 1] = rows[at + 1]!;
    moved[to + 2] = rows[at + 2]!;
    moved[to + 3] = rows[at + 3]!;
    moved[to + 4] = rows[at + 4]!;
    words[bucket] = to + wordsPerRow;
  }
}
