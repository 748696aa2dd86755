import { type BitWindow, deviceBits, windowAfter } from './bit-window.ts';
import { growArray } from './grow-array.ts';
import { differenceOf, prefixBits } from './rows.ts';

/** Up to this many rows, insertion sort is fastest. */
const fewRows = 24;

const maxDigitBits = 11;

/**
 * Sorts positions of rows by device. One radix pass over the first differing bits leaves small
 * groups, which insertion sort finishes. Large groups get another pass over the next bits in which
 * they differ, so common prefixes and clusters cost about as much as random devices.
 */
export interface RowSorter {
  /** `prefix`: how many leading bits all devices share; computed if omitted. */
  sort(rows: Uint32Array, positions: Uint32Array, count: number, prefix?: number): void;
}

export function createRowSorter(): RowSorter {
  let keys = new Uint32Array(0);
  let moved = new Uint32Array(0);
  // One table for each level of recursion.
  const tables: Uint32Array[] = [];

  function sortRange(
    rows: Uint32Array,
    positions: Uint32Array,
    from: number,
    to: number,
    prefix: number,
    level: number,
  ): void {
    const bits = Math.min(Math.max(33 - Math.clz32(to - from), 5), maxDigitBits);
    tables[level] ??= new Uint32Array(1 << maxDigitBits);
    const ends = tables[level].subarray(0, 1 << bits);
    readKeys(rows, positions, from, to, windowAfter(prefix, bits), keys, ends);
    moveByKey(keys, positions, from, to, ends, moved);
    positions.set(moved.subarray(from, to), from);
    let begin = from;
    for (const end of ends) {
      const count = end - begin;
      if (count > fewRows) sortTied(rows, positions, begin, end, level + 1);
      else if (count > 1) insert(rows, positions, begin, end);
      begin = end;
    }
  }

  function sortTied(
    rows: Uint32Array,
    positions: Uint32Array,
    from: number,
    to: number,
    level: number,
  ): void {
    const prefix = prefixBits(differenceOf(rows, positions, from, to));
    if (prefix < deviceBits) sortRange(rows, positions, from, to, prefix, level);
  }

  return {
    sort(rows, positions, count, prefix) {
      keys = growArray(keys, count);
      moved = growArray(moved, count);
      if (count <= fewRows) insert(rows, positions, 0, count);
      else if (prefix === undefined) sortTied(rows, positions, 0, count, 0);
      else sortRange(rows, positions, 0, count, prefix, 0);
    },
  };
}

/** Reads each row's bits in the window as its key, and counts how often each key occurs. */
function readKeys(
  rows: Uint32Array,
  positions: Uint32Array,
  from: number,
  to: number,
  { prefix, bits }: BitWindow,
  keys: Uint32Array,
  counts: Uint32Array,
): void {
  const word = prefix >>> 5;
  const bit = prefix & 31;
  const unused = 32 - bits;
  counts.fill(0);
  for (let i = from; i < to; i++) {
    const at = positions[i]! + word;
    // May read the word after the device, but the window ends before it. The right shift has two steps,
    // because JavaScript ignores a shift by 32 bits.
    const key = ((rows[at]! << bit) | ((rows[at + 1]! >>> 1) >>> (31 - bit))) >>> unused;
    keys[i] = key;
    counts[key]!++;
  }
}

/** Groups positions by key. `counts` then holds the end of each key's positions. */
function moveByKey(
  keys: Uint32Array,
  positions: Uint32Array,
  from: number,
  to: number,
  counts: Uint32Array,
  moved: Uint32Array,
): void {
  let place = from;
  for (let key = 0; key < counts.length; key++) {
    const count = counts[key]!;
    counts[key] = place;
    place += count;
  }
  for (let i = from; i < to; i++) {
    const key = keys[i]!;
    const at = counts[key]!;
    counts[key] = at + 1;
    moved[at] = positions[i]!;
  }
}

function insert(rows: Uint32Array, positions: Uint32Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const position = positions[i]!;
    let place = i;
    while (place > from && isBefore(rows, position, positions[place - 1]!)) {
      positions[place] = positions[place - 1]!;
      place--;
    }
    positions[place] = position;
  }
}

function isBefore(rows: Uint32Array, a: number, b: number): boolean {
  if (rows[a] !== rows[b]) return rows[a]! < rows[b]!;
  if (rows[a + 1] !== rows[b + 1]) return rows[a + 1]! < rows[b + 1]!;
  if (rows[a + 2] !== rows[b + 2]) return rows[a + 2]! < rows[b + 2]!;
  return rows[a + 3]! < rows[b + 3]!;
}
