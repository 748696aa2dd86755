import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { compareDevices } from '../devices/device-words.ts';
import type { Extents } from './memory/slots.ts';
import { countLists, type ListLayout, removalsFromAll, removalsOf } from './tasks/collect-lists.ts';

/** The lists of consecutive parts, stored in slots one list after the other. */
interface StoredPiece {
  readonly slots: Int32Array;
  /** Where each list begins, in words, and where the last one ends. */
  readonly starts: Uint32Array;
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
  /** The pieces, from `from` to before `to`, that may hold devices between `first` and `last`. */
  piecesWithin(first: Uint32Array, last: Uint32Array): { from: number; to: number };
  isEmpty(list: number): boolean;
}

export interface ListStore extends StoredLists {
  /** Adds a piece by its number, in any order. */
  add(piece: number, slots: Int32Array, counts: Uint32Array, span: Uint32Array): void;
}

export function createListStore(lists: ListLayout, slotWords: number): ListStore {
  const stored: StoredPiece[] = [];
  const isFilled = new Uint8Array(countLists(lists));

  function words(list: number, piece: number): number {
    const { starts } = stored[piece]!;
    return starts[list + 1]! - starts[list]!;
  }

  function* extentsOf(list: number, from: number, to: number): Iterable<number> {
    for (const { slots, starts } of stored.slice(from, to)) {
      const end = starts[list + 1]!;
      for (let at = starts[list]!; at < end; ) {
        const slot = Math.floor(at / slotWords);
        const stop = Math.min(end, (slot + 1) * slotWords);
        yield slots[slot]!;
        yield at - slot * slotWords;
        yield stop - at;
        at = stop;
      }
    }
  }

  return {
    lists,
    get pieces() {
      return stored.length;
    },
    add(piece, slots, counts, span) {
      const starts = new Uint32Array(counts.length + 1);
      for (let list = 0; list < counts.length; list++) {
        starts[list + 1] = starts[list]! + counts[list]! * wordsPerDevice;
        isFilled[list]! |= counts[list]! > 0 ? 1 : 0;
      }
      stored[piece] = { slots, starts, span };
    },
    words,
    extents: (list, from, to) => Int32Array.from(extentsOf(list, from, to)),
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
