import { type BitWindow, windowAfter } from '../../devices/bit-window.ts';
import { growArray } from '../../devices/grow-array.ts';
import { differenceOfShort, indexRows, prefixBits, wordsPerRow } from '../../devices/rows.ts';
import {
  type BucketPlaces,
  countRows,
  countShortRows,
  moveRows,
  moveShortRows,
} from './move-rows.ts';

/** Rows grouped by the first bits of their devices, in ascending buckets. */
interface Buckets {
  readonly rows: Uint32Array;
  /** Where rows begin, bucket by bucket. */
  readonly positions: Uint32Array;
  /** Where the positions of each bucket end. */
  readonly ends: Int32Array;
  /** A number of leading bits that all devices of a bucket share. */
  readonly prefix: number;
}

/**
 * Divides the rows of a part into buckets that fit into a core's L1 cache, where they are then sorted
 * and collected. Reading 390,000 sorted rows took 128 ns a row without buckets, and 26 ns with them.
 */
export interface Bucketing {
  /** Each chunk consists of whole rows. `areShort`: no row has a list. */
  divide(chunks: readonly Uint32Array[], areShort: boolean): Buckets;
}

/** 32 KiB, half of an L1 cache. */
const wordsPerBucket = 8192;
const maxBits = 9;

export function createBucketing(): Bucketing {
  let together = new Uint32Array(0);
  let moved = new Uint32Array(0);
  let positions = new Uint32Array(0);
  let movedPositions = new Uint32Array(0);

  function join(chunks: readonly Uint32Array[], words: number): Uint32Array {
    const [first] = chunks;
    if (first && chunks.length === 1) return first;
    together = growArray(together, words);
    let end = 0;
    for (const chunk of chunks) {
      together.set(chunk, end);
      end += chunk.length;
    }
    return together.subarray(0, end);
  }

  /** Rows with lists must be contiguous, because their positions are indexed first. */
  function divideJoined(rows: Uint32Array, bits: number): Buckets {
    positions = growArray(positions, Math.ceil(rows.length / wordsPerRow));
    const { count, difference } = indexRows(rows, positions);
    const shared = prefixBits(difference);
    if (bits < 1) return { rows, positions, ends: Int32Array.of(count), prefix: shared };
    moved = growArray(moved, rows.length);
    movedPositions = growArray(movedPositions, count);
    const window = windowAfter(shared, bits);
    const places = startsOf(countRows(rows, window));
    moveRows(rows, window, places, moved, movedPositions);
    return bucketsAt(places, window);
  }

  /** Moves rows directly from their chunks. Joining the chunks first took 7 ns a row. */
  function divideShort(chunks: readonly Uint32Array[], words: number, bits: number): Buckets {
    moved = growArray(moved, words);
    movedPositions = growArray(movedPositions, words / wordsPerRow);
    const window = windowAfter(prefixBits(differenceOfShort(chunks)), bits);
    const places = startsOf(countShortRows(chunks, window));
    moveShortRows(chunks, window, places, moved, movedPositions);
    return bucketsAt(places, window);
  }

  /** After all rows are moved, places are the ends of the buckets. */
  function bucketsAt({ rows }: BucketPlaces, { prefix, bits }: BitWindow): Buckets {
    return { rows: moved, positions: movedPositions, ends: rows, prefix: prefix + bits };
  }

  return {
    divide(chunks, areShort) {
      const words = chunks.reduce((sum, { length }) => sum + length, 0);
      const bits = Math.min(Math.round(Math.log2(words / wordsPerBucket)), maxBits);
      return bits < 1 || !areShort
        ? divideJoined(join(chunks, words), bits)
        : divideShort(chunks, words, bits);
    },
  };
}

/** Turns the sizes of consecutive buckets into their starts, in place. */
function startsOf(sizes: BucketPlaces): BucketPlaces {
  toStarts(sizes.words);
  toStarts(sizes.rows);
  return sizes;
}

function toStarts(sizes: Int32Array): void {
  let start = 0;
  for (let i = 0; i < sizes.length; i++) {
    const size = sizes[i]!;
    sizes[i] = start;
    start += size;
  }
}
