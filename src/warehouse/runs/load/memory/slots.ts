import { bytesOf, readFully, writeFully } from '../../file/file-io.ts';

/**
 * Where a load keeps what it has taken in: slots of one size, each either a block of shared memory
 * (numbered from 0) or, once memory is used up, a place in the load's scratch file (numbered
 * downwards from -1). This much of it goes to threads.
 */
export interface Room {
  readonly memory: Uint32Array<SharedArrayBuffer>;
  readonly slotWords: number;
  /** How many slots the scratch file has; whoever needs another one adds to it. */
  readonly fileSlots: Int32Array<SharedArrayBuffer>;
  readonly scratchFd: number;
}

export function newFileSlot({ fileSlots }: Room): number {
  return -1 - Atomics.add(fileSlots, 0, 1);
}

export function writeSlot(room: Room, slot: number, words: Uint32Array): void {
  if (slot >= 0) room.memory.set(words, slot * room.slotWords);
  else writeFully(room.scratchFd, bytesOf(words), offsetInFile(room, slot));
}

/** Reads `into.length` words of a slot, from its word `from` on. */
function readSlot(room: Room, slot: number, from: number, into: Uint32Array): void {
  if (slot >= 0) {
    const at = slot * room.slotWords + from;
    into.set(room.memory.subarray(at, at + into.length));
  } else {
    const offset = offsetInFile(room, slot) + from * Uint32Array.BYTES_PER_ELEMENT;
    readFully(room.scratchFd, bytesOf(into), offset);
  }
}

function offsetInFile({ slotWords }: Room, slot: number): number {
  return (-1 - slot) * slotWords * Uint32Array.BYTES_PER_ELEMENT;
}

/** Parts of slots in the order in which they belong together: slot, first word, words; and so on. */
export type Extents = Int32Array;

export const wordsPerExtent = 3;

export function extentWords(extents: Extents): number {
  let words = 0;
  for (let i = 2; i < extents.length; i += wordsPerExtent) words += extents[i]!;
  return words;
}

/** Reads extents one after the other to `into`, from `at` on; where they end. */
export function readExtents(room: Room, extents: Extents, into: Uint32Array, at: number): number {
  let end = at;
  for (let i = 0; i < extents.length; i += wordsPerExtent) {
    const words = extents[i + 2]!;
    readSlot(room, extents[i]!, extents[i + 1]!, into.subarray(end, end + words));
    end += words;
  }
  return end;
}

/** How many of the words are in the scratch file. */
export function wordsInFile(extents: Extents): number {
  let words = 0;
  for (let i = 0; i < extents.length; i += wordsPerExtent) {
    if (extents[i]! < 0) words += extents[i + 2]!;
  }
  return words;
}

/** Each extent's words: where they are, or, of those in the scratch file, read to `into`. */
export function stretchesOf(room: Room, extents: Extents, into: Uint32Array): Uint32Array[] {
  const stretches: Uint32Array[] = [];
  let end = 0;
  for (let i = 0; i < extents.length; i += wordsPerExtent) {
    const slot = extents[i]!;
    const from = extents[i + 1]!;
    const words = extents[i + 2]!;
    if (slot >= 0) {
      const at = slot * room.slotWords + from;
      stretches.push(room.memory.subarray(at, at + words));
    } else {
      const stretch = into.subarray(end, end + words);
      readSlot(room, slot, from, stretch);
      stretches.push(stretch);
      end += words;
    }
  }
  return stretches;
}
