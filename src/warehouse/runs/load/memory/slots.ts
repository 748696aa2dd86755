import { growArray } from '../../devices/grow-array.ts';
import { bytesOf, readFully, writeFully } from '../../file/file-io.ts';

/**
 * A load's scratch space as threads see it. It consists of slots of one size. A slot is a block of
 * shared memory (numbered from 0) or a place in the spill file (numbered from -1 downwards).
 */
export interface ScratchHandle {
  readonly memory: Uint32Array<SharedArrayBuffer>;
  readonly slotWords: number;
  /** The number of slots in the spill file, which any thread may increase. */
  readonly spillSlots: Int32Array<SharedArrayBuffer>;
  readonly spillFd: number;
}

export function newSpillSlot({ spillSlots }: ScratchHandle): number {
  return -1 - Atomics.add(spillSlots, 0, 1);
}

export function writeSlot(scratch: ScratchHandle, slot: number, words: Uint32Array): void {
  if (slot >= 0) scratch.memory.set(words, slot * scratch.slotWords);
  else writeFully(scratch.spillFd, bytesOf(words), spillOffset(scratch, slot));
}

/** Reads `into.length` words of a slot, starting at word `from`. */
function readSlot(scratch: ScratchHandle, slot: number, from: number, into: Uint32Array): void {
  if (slot >= 0) {
    const at = slot * scratch.slotWords + from;
    into.set(scratch.memory.subarray(at, at + into.length));
  } else {
    const offset = spillOffset(scratch, slot) + from * Uint32Array.BYTES_PER_ELEMENT;
    readFully(scratch.spillFd, bytesOf(into), offset);
  }
}

function spillOffset({ slotWords }: ScratchHandle, slot: number): number {
  return (-1 - slot) * slotWords * Uint32Array.BYTES_PER_ELEMENT;
}

/** Parts of slots, in order. Each takes three numbers: slot, first word, number of words. */
export type Extents = Int32Array;

export const wordsPerExtent = 3;

export function extentWords(extents: Extents): number {
  let words = 0;
  for (let i = 2; i < extents.length; i += wordsPerExtent) words += extents[i]!;
  return words;
}

export type ExtentReader = (scratch: ScratchHandle, extents: Extents) => Uint32Array;

/** Reads extents one after the other into memory that it reuses. */
export function createExtentReader(): ExtentReader {
  let memory = new Uint32Array(0);
  return (scratch, extents) => {
    memory = growArray(memory, extentWords(extents));
    let end = 0;
    for (let i = 0; i < extents.length; i += wordsPerExtent) {
      const words = extents[i + 2]!;
      readSlot(scratch, extents[i]!, extents[i + 1]!, memory.subarray(end, end + words));
      end += words;
    }
    return memory.subarray(0, end);
  };
}

/**
 * Returns each extent as a chunk: in place if it is in memory, otherwise read from the spill file into
 * memory that it reuses.
 */
export function createChunkReader(): (scratch: ScratchHandle, extents: Extents) => Uint32Array[] {
  let memory = new Uint32Array(0);
  return (scratch, extents) => {
    memory = growArray(memory, spilledWords(extents));
    const chunks: Uint32Array[] = [];
    let end = 0;
    for (let i = 0; i < extents.length; i += wordsPerExtent) {
      const slot = extents[i]!;
      const from = extents[i + 1]!;
      const words = extents[i + 2]!;
      if (slot >= 0) {
        const at = slot * scratch.slotWords + from;
        chunks.push(scratch.memory.subarray(at, at + words));
      } else {
        const chunk = memory.subarray(end, end + words);
        readSlot(scratch, slot, from, chunk);
        chunks.push(chunk);
        end += words;
      }
    }
    return chunks;
  };
}

function spilledWords(extents: Extents): number {
  let words = 0;
  for (let i = 0; i < extents.length; i += wordsPerExtent) {
    if (extents[i]! < 0) words += extents[i + 2]!;
  }
  return words;
}
