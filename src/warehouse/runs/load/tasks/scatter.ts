import {
  headerNumber,
  inPlace,
  leftOut,
  removal,
  wordsPerDevice,
} from '../../../../domain/row-batch.ts';
import type { BitWindow } from '../../devices/bit-window.ts';
import { wordsPerRow } from '../../devices/rows.ts';
import { newSpillSlot, type ScratchHandle, writeSlot } from '../memory/slots.ts';

/**
 * Scattered rows are like those of a batch, but with final segment numbers, and no row is larger than
 * a slot. This header marks a removal whose segments were all left out. An empty list would remove
 * the device from all segments instead.
 */
export const removalOfNothing = (removal | inPlace | headerNumber) >>> 0;

export interface ScatteredRows {
  /** Three numbers for each slot: part, slot, words used. A slot holds whole rows. */
  readonly chunks: Int32Array;
  /** Granted blocks that were not needed. */
  readonly unused: Int32Array;
  /** The highest segment number that occurs, plus one. */
  readonly numbers: number;
  readonly removals: boolean;
  /** No row has a list. */
  readonly areShort: boolean;
}

/** Scatters rows into parts by a window of their devices. Each part has its own blocks. */
export interface Scatter {
  /** Adds blocks to fill. Once they are used up, full blocks are spilled to disk and reused. */
  grant(blocks: Int32Array): void;
  /** Rows without lists are faster, because they all have the same size. */
  add(rows: Uint32Array, numbering: Uint32Array | null, haveNoLists: boolean): void;
  /** `spillAll`: also spills blocks that are not full, so that no block stays in use. */
  finish(spillAll: boolean): ScatteredRows;
}

/** The first grant must have a block for each part. */
export function createScatter(scratch: ScratchHandle, window: BitWindow): Scatter {
  const { memory, slotWords } = scratch;
  const parts = 1 << window.bits;
  const word = window.prefix >>> 5;
  const bit = window.prefix & 31;
  // JavaScript ignores a shift by 32 bits, hence the minimum here and the two-step shifts below.
  const unused = Math.min(32 - window.bits, 31);
  const blocks = new Int32Array(parts).fill(-1);
  // Where the next row of a part goes, and where its block ends.
  const cursors = new Int32Array(parts);
  const limits = new Int32Array(parts);
  const chunks: number[] = [];
  const free: number[] = [];
  let partsNotStarted = parts;
  let highest = -1;
  let removals = 0;
  let areShort = true;

  function addShort(rows: Uint32Array, numbering: Uint32Array | null): void {
    const mask = parts - 1;
    const into = memory;
    const nexts = cursors;
    const ends = limits;
    let highestSeen = highest;
    let flags = 0;
    for (let at = 0; at < rows.length; at += wordsPerRow) {
      let header = rows[at + wordsPerDevice]!;
      flags |= header;
      if ((header & inPlace) !== 0 && header !== removalOfNothing) {
        let number = header & headerNumber;
        if (numbering !== null) {
          number = numbering[number]!;
          header = renumbered(header, number);
        }
        if (number > highestSeen && number !== leftOut) highestSeen = number;
      }
      const second = (rows[at + word + 1]! >>> 1) >>> (31 - bit);
      const part = (((rows[at + word]! << bit) | second) >>> unused) & mask;
      let to = nexts[part]!;
      if (to + wordsPerRow > ends[part]!) to = nextBlock(part);
      into[to] = rows[at]!;
      into[to + 1] = rows[at + 1]!;
      into[to + 2] = rows[at + 2]!;
      into[to + 3] = rows[at + 3]!;
      into[to + 4] = header;
      nexts[part] = to + wordsPerRow;
    }
    highest = highestSeen;
    removals |= flags & removal;
  }

  function addLong(rows: Uint32Array, numbering: Uint32Array | null): void {
    const mask = parts - 1;
    const into = memory;
    const nexts = cursors;
    const ends = limits;
    const most = slotWords;
    let highestSeen = highest;
    let flags = 0;
    for (let at = 0; at < rows.length; ) {
      const header = rows[at + wordsPerDevice]!;
      const listed = (header & inPlace) !== 0 ? 0 : header & headerNumber;
      const size = wordsPerRow + listed;
      flags |= header;
      if (numbering !== null || size > most) {
        addRenumbered(rows, at, numbering);
        at += size;
        continue;
      }
      const second = (rows[at + word + 1]! >>> 1) >>> (31 - bit);
      const part = (((rows[at + word]! << bit) | second) >>> unused) & mask;
      let to = nexts[part]!;
      if (to + size > ends[part]!) to = nextBlock(part);
      into[to] = rows[at]!;
      into[to + 1] = rows[at + 1]!;
      into[to + 2] = rows[at + 2]!;
      into[to + 3] = rows[at + 3]!;
      into[to + 4] = header;
      if (listed > 0) {
        for (let i = wordsPerRow; i < size; i++) {
          const number = rows[at + i]!;
          if (number > highestSeen) highestSeen = number;
          into[to + i] = number;
        }
      } else if ((header & inPlace) !== 0 && header !== removalOfNothing) {
        const number = header & headerNumber;
        if (number > highestSeen) highestSeen = number;
      }
      nexts[part] = to + size;
      at += size;
    }
    highest = Math.max(highest, highestSeen);
    removals |= flags & removal;
    areShort = false;
  }

  /** Adds one row with its segment numbers replaced. A row longer than a slot is split. */
  function addRenumbered(rows: Uint32Array, at: number, numbering: Uint32Array | null): void {
    const header = rows[at + wordsPerDevice]!;
    const isListed = (header & inPlace) === 0;
    const count = isListed ? header & headerNumber : 1;
    const flag = header & removal;
    const named: number[] = [];
    for (let i = 0; i < count; i++) {
      const given = isListed ? rows[at + wordsPerRow + i]! : header & headerNumber;
      const number = numbering ? numbering[given]! : given;
      if (number !== leftOut) named.push(number);
    }
    for (const number of named) highest = Math.max(highest, number);
    if (count === 0) append(rows, at, header, []);
    else if (named.length === 0) append(rows, at, renumbered(header, leftOut), []);
    else if (named.length === 1) append(rows, at, flag | inPlace | named[0]!, []);
    else {
      const most = slotWords - wordsPerRow;
      for (let i = 0; i < named.length; i += most) {
        const some = named.slice(i, i + most);
        append(rows, at, flag | some.length, some);
      }
    }
  }

  function append(rows: Uint32Array, at: number, header: number, listed: readonly number[]): void {
    const second = (rows[at + word + 1]! >>> 1) >>> (31 - bit);
    const part = (((rows[at + word]! << bit) | second) >>> unused) & (parts - 1);
    const size = wordsPerRow + listed.length;
    let to = cursors[part]!;
    if (to + size > limits[part]!) to = nextBlock(part);
    for (let i = 0; i < wordsPerDevice; i++) memory[to + i] = rows[at + i]!;
    memory[to + wordsPerDevice] = header;
    memory.set(listed, to + wordsPerRow);
    cursors[part] = to + size;
  }

  /** Begins a block for the part: a free one, or its own after spilling it to disk. */
  function nextBlock(part: number): number {
    const full = blocks[part]!;
    if (full < 0) partsNotStarted--;
    // Keeps one free block for each part that has not begun yet.
    const next = free.length > partsNotStarted ? free.pop()! : full;
    if (next < 0) throw new Error('no block was granted for a part');
    if (full >= 0) endBlock(part, next === full);
    blocks[part] = next;
    limits[part] = (next + 1) * slotWords;
    cursors[part] = next * slotWords;
    return cursors[part]!;
  }

  /** Records the contents of the part's block. If it is spilled, the block is free again. */
  function endBlock(part: number, spill: boolean): void {
    const block = blocks[part]!;
    const begin = block * slotWords;
    const used = cursors[part]! - begin;
    const slot = spill ? newSpillSlot(scratch) : block;
    if (spill) writeSlot(scratch, slot, memory.subarray(begin, begin + used));
    chunks.push(part, slot, used);
  }

  return {
    grant: (granted) => void free.push(...granted),
    add: (rows, numbering, haveNoLists) => (haveNoLists ? addShort : addLong)(rows, numbering),
    finish(spillAll) {
      for (let part = 0; part < parts; part++) {
        if (blocks[part]! < 0) continue;
        endBlock(part, spillAll);
        if (spillAll) free.push(blocks[part]!);
      }
      return {
        chunks: Int32Array.from(chunks),
        unused: Int32Array.from(free),
        numbers: highest + 1,
        removals: removals !== 0,
        areShort,
      };
    },
  };
}

/** Replaces the segment number in a header. */
function renumbered(header: number, number: number): number {
  if (number === leftOut) return (header & removal) === 0 ? 0 : removalOfNothing;
  return (header & (removal | inPlace)) | number;
}
