import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { compareDevices } from '../devices/device-words.ts';
import { createListSizes, type ListSizes } from './list-sizes.ts';
import type { Extents } from './memory/slots.ts';
import { countLists, type ListLayout, removalsFromAll, removalsOf } from './tasks/collect-lists.ts';

/** The lists of consecutive parts, stored in slots one list after the other. */
interface StoredPiece {
  readonly slots: Int32Array;
  readonly sizes: ListSizes;
  /** The first and the last device of the parts, even if they are on no list. */
  readonly span: Uint32Array;
}

/** The lists of all parts. Each list consists of pieces that ascend from part to part. */
export interface StoredLists {
  readonly lists: ListLayout;
  readonly pieces: number;
  /** The number of words of the list in the piece. */
  words(list: number, piece: number): number;
  /** The extents of a list's pieces, from piece `from` to before `to`. */
  extents(list: number, from: number, to: number): Extents;
  /** The first and the last device of the pieces, from `from` to before `to`, even if they are on no list. */
  span(from: number, to: number): [first: Uint32Array, last: Uint32Array];
  /** The pieces, from `from` to before `to`, that may hold devices between `first` and `last`. */
  piecesWithin(first: Uint32Array, last: Uint32Array): { from: number; to: number };
  isEmpty(list: number): boolean;
}

export interface ListStore extends StoredLists {
  /** Adds a piece by its number, in any order. */
  add(piece: number, slots: Int32Array, counts: Uint32Array, span: Uint32Array): void;
  /** The memory for the sizes of the lists in all pieces. */
  readonly bytes: number;
}

export function createListStore(lists: ListLayout, slotWords: number): ListStore {
  const stored: StoredPiece[] = [];
  const isFilled = new Uint8Array(countLists(lists));

  function words(list: number, piece: number): number {
    return stored[piece]!.sizes.size(list) * wordsPerDevice;
  }

  function extents(list: number, from: number, to: number): Extents {
    const found: number[] = [];
    for (let piece = from; piece < to; piece++) {
      const length = words(list, piece);
      if (length === 0) continue;
      const { slots, sizes } = stored[piece]!;
      const start = sizes.start(list) * wordsPerDevice;
      const end = start + length;
      for (let at = start; at < end; ) {
        const slot = Math.floor(at / slotWords);
        const stop = Math.min(end, (slot + 1) * slotWords);
        found.push(slots[slot]!, at - slot * slotWords, stop - at);
        at = stop;
      }
    }
    return Int32Array.from(found);
  }

  return {
    lists,
    get pieces() {
      return stored.length;
    },
    add(piece, slots, counts, span) {
      for (let list = 0; list < counts.length; list++) {
        isFilled[list]! |= counts[list]! > 0 ? 1 : 0;
      }
      stored[piece] = { slots, sizes: createListSizes(counts), span };
    },
    get bytes() {
      return stored.reduce((sum, { sizes }) => sum + sizes.bytes, 0);
    },
    words,
    extents,
    span: (from, to) => [stored[from]!.span.subarray(0, wordsPerDevice), lastOf(stored[to - 1]!)],
    piecesWithin(first, last) {
      let from = 0;
      while (from < stored.length && isBelow(lastOf(stored[from]!), first)) from++;
      let to = from;
      while (to < stored.length && !isBelow(last, stored[to]!.span)) to++;
      return { from, to };
    },
    isEmpty: (list) => isFilled[list] === 0,
  };
}

function lastOf({ span }: StoredPiece): Uint32Array {
  return span.subarray(wordsPerDevice);
}

function isBelow(a: Uint32Array, b: Uint32Array): boolean {
  return compareDevices(a, 0, b, 0) < 0;
}

/** The numbers of the segments that a load may change. */
export function changedSegments(stored: StoredLists): number[] {
  const { lists } = stored;
  const numbers = Array.from({ length: lists.segments }, (_, number) => number);
  if (lists.removals && !stored.isEmpty(removalsFromAll(lists))) return numbers;
  return numbers.filter(
    (number) =>
      !stored.isEmpty(number) || (lists.removals && !stored.isEmpty(removalsOf(number, lists))),
  );
}

/** Consecutive devices of one list. */
export interface ListSlice {
  readonly list: number;
  readonly devices: Extents;
  readonly words: number;
  /** Its pieces, from `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
}

/** Divides each list into slices of as many pieces as fit in `maxWords`. */
export function* slicesOf(
  stored: StoredLists,
  lists: Iterable<number>,
  maxWords: number,
): Iterable<ListSlice> {
  for (const list of lists) {
    if (stored.isEmpty(list)) continue;
    for (let from = 0; from < stored.pieces; ) {
      let words = stored.words(list, from);
      let to = from + 1;
      while (to < stored.pieces && words + stored.words(list, to) <= maxWords) {
        words += stored.words(list, to++);
      }
      const devices = stored.extents(list, from, to);
      yield { list, devices, words, from, to, isLast: to === stored.pieces };
      from = to;
    }
  }
}
