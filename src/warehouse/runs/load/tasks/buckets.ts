import { grown } from '../../devices/grow-array.ts';
import { differenceOfShort, indexRows, prefixBits, wordsPerRow } from '../../devices/rows.ts';
import { type Window, windowAfter } from '../../devices/bit-window.ts';
import { countRows, countShortRows, moveRows, moveShortRows, type Places } from './move-rows.ts';

/** Rows moved together by their devices' first bits, in ascending buckets. */
interface Buckets {
  readonly rows: Uint32Array;
  /** Where rows begin, bucket by bucket. */
  readonly positions: Uint32Array;
  /** Where each bucket's positions end. */
  readonly ends: Int32Array;
  /** How many first bits all devices of any one bucket share, at least. */
  readonly prefix: number;
}

/**
 * Divides the rows of a part so that a bucket fits into a core's first cache, where sorting and
 * collecting it then happen: going through 390,000 sorted rows took 128 ns a row where they lay,
 * and 26 ns a row bucket by bucket.
 */
export interface Bucketing {
  /** Rows that lie in stretches, whole ones in each. `areShort`: none of them has a list. */
  divide(stretches: readonly Uint32Array[], areShort: boolean): Buckets;
}

/** 32 KiB, half of a core's first cache. */
const wordsPerBucket = 8192;
const maxBits = 9;

export function createBucketing(): Bucketing {
  let together = new Uint32Array(0);
  let moved = new Uint32Array(0);
  let positions = new Uint32Array(0);
  let movedPositions = new Uint32Array(0);

  function join(stretches: readonly Uint32Array[], words: number): Uint32Array {
    const [first] = stretches;
    if (first && stretches.length === 1) return first;
    together = grown(together, words);
    let end = 0;
    for (const stretch of stretches) {
      together.set(stretch, end);
      end += stretch.length;
    }
    return together.subarray(0, end);
  }

  /** Their places are looked up at once, for which they have to lie in one. */
  function divideJoined(rows: Uint32Array, bits: number): Buckets {
    positions = grown(positions, Math.ceil(rows.length / wordsPerRow));
    const { count, difference } = indexRows(rows, positions);
    const shared = prefixBits(difference);
    if (bits < 1) return { rows, positions, ends: Int32Array.of(count), prefix: shared };
    moved = grown(moved, rows.length);
    movedPositions = grown(movedPositions, count);
    const window = windowAfter(shared, bits);
    const places = startsOf(countRows(rows, window));
    moveRows(rows, window, places, moved, movedPositions);
    return bucketsAt(places, window);
  }

  /** From where they lie: to copy them together first took 7 ns a row. */
  function divideShort(stretches: readonly Uint32Array[], words: number, bits: number): Buckets {
    moved = grown(moved, words);
    movedPositions = grown(movedPositions, words / wordsPerRow);
    const window = windowAfter(prefixBits(differenceOfShort(stretches)), bits);
    const places = startsOf(countShortRows(stretches, window));
    moveShortRows(stretches, window, places, moved, movedPositions);
    return bucketsAt(places, window);
  }

  /** After rows were moved there, places are where buckets end. */
  function bucketsAt({ rows }: Places, { prefix, bits }: Window): Buckets {
    return { rows: moved, positions: movedPositions, ends: rows, prefix: prefix + bits };
  }

  return {
    divide(stretches, areShort) {
      const words = stretches.reduce((sum, { length }) => sum + length, 0);
      const bits = Math.min(Math.round(Math.log2(words / wordsPerBucket)), maxBits);
      return bits < 1 || !areShort
        ? divideJoined(join(stretches, words), bits)
        : divideShort(stretches, words, bits);
    },
  };
}

/** Sizes become where each bucket begins when they lie one after the other. */
function startsOf(sizes: Places): Places {
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
