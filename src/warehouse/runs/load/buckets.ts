import { grown } from './grown.ts';
import { countRows, countShortRows, moveRows, moveShortRows } from './move-rows.ts';
import { differenceOfShort, indexRows, prefixBits } from './rows.ts';
import { wordsPerRow } from './scatter.ts';
import { windowAfter } from './window.ts';

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
  /** `areShort`: none of the rows has a list. */
  divide(rows: Uint32Array, areShort: boolean): Buckets;
}

/** 32 KiB, half of a core's first cache. */
const wordsPerBucket = 8192;
const maxBits = 9;

export function createBucketing(): Bucketing {
  let moved = new Uint32Array(0);
  let positions = new Uint32Array(0);
  let movedPositions = new Uint32Array(0);

  return {
    divide(rows, areShort) {
      const most = Math.ceil(rows.length / wordsPerRow);
      const bits = Math.min(Math.round(Math.log2(rows.length / wordsPerBucket)), maxBits);
      if (bits < 1 || !areShort) positions = grown(positions, most);
      const { count, difference } =
        bits < 1 || !areShort
          ? indexRows(rows, positions)
          : { count: most, difference: differenceOfShort(rows) };
      const shared = prefixBits(difference);
      if (bits < 1) return { rows, positions, ends: Int32Array.of(count), prefix: shared };
      moved = grown(moved, rows.length);
      movedPositions = grown(movedPositions, count);
      const window = windowAfter(shared, bits);
      const places = areShort ? countShortRows(rows, window) : countRows(rows, window);
      toStarts(places.words);
      toStarts(places.rows);
      const move = areShort ? moveShortRows : moveRows;
      move(rows, window, places, moved, movedPositions);
      return {
        rows: moved,
        positions: movedPositions,
        ends: places.rows,
        prefix: window.prefix + bits,
      };
    },
  };
}

/** Sizes become where each begins when they lie one after the other. */
function toStarts(sizes: Int32Array): void {
  let start = 0;
  for (let i = 0; i < sizes.length; i++) {
    const size = sizes[i]!;
    sizes[i] = start;
    start += size;
  }
}
