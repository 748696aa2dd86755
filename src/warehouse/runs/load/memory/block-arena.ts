import { firstBits } from '../../devices/bit-window.ts';

const partsAtFirst = 1 << firstBits.bits;

/** How many parts one that is too large is divided into, whether memory is left or not. */
export const partsAtLeast = 16;

/** Rows that are held together until there are more of them take fewer blocks than this. */
const heldBlocks = 32;

/** So many loads may be under way at once. */
const maxLoads = 16;

const smallestBlock = 4 * 1024;
const largestBlock = 64 * 1024;

/** Positions of words, in all blocks that there may be, have to be numbers below 2^31. */
const largestBudget = 2 ** 31;

/**
 * Blocks that lie at powers of two would all fall into the same few lines of the cache, and parts
 * are filled side by side: five lines more, and scattering takes 10 ns a row instead of 16.
 */
const staggerWords = 80;

/** The memory in which all loads of the process keep rows, in blocks. */
export interface BlockArena {
  readonly memory: Uint32Array<SharedArrayBuffer>;
  readonly blockWords: number;
  /** How many loads may take together. */
  readonly budget: number;
  /** How many may still be taken before the budget is used up. */
  available(): number;
  /** Takes so many, or as many as the budget allows; what is essential goes beyond it. */
  take(count: number, essential: boolean): Int32Array;
  give(blocks: Iterable<number>): void;
}

/**
 * The system gives memory its room only when it is first written to. It stays with the process
 * then: threads that let go of it might do so late, and a next load would take as much again.
 */
export function createBlockArena(memoryBytes: number, threads: number): BlockArena {
  const budgetBytes = Math.min(memoryBytes, largestBudget);
  // A load needs a block for each part on each thread, which should be a small part of the memory.
  const wanted = budgetBytes / (8 * threads * partsAtFirst);
  const multiple = Math.floor(wanted / smallestBlock) * smallestBlock;
  const blockBytes = Math.min(Math.max(multiple, smallestBlock), largestBlock);
  const blockWords = blockBytes / Uint32Array.BYTES_PER_ELEMENT + staggerWords;
  const budget = Math.floor(budgetBytes / Uint32Array.BYTES_PER_ELEMENT / blockWords);
  const essential = threads * (partsAtFirst + partsAtLeast) + heldBlocks;
  const blocks = budget + maxLoads * essential;
  const memory = new Uint32Array(
    new SharedArrayBuffer(blocks * blockWords * Uint32Array.BYTES_PER_ELEMENT),
  );
  const returned: number[] = [];
  let untouched = 0;
  let taken = 0;

  function available(): number {
    return Math.max(0, budget - taken);
  }

  return {
    memory,
    blockWords,
    budget,
    available,
    take(count, essential) {
      const granted = new Int32Array(essential ? count : Math.min(count, available()));
      if (granted.length > blocks - taken) throw new Error('too many loads are under way');
      for (let i = 0; i < granted.length; i++) granted[i] = returned.pop() ?? untouched++;
      taken += granted.length;
      return granted;
    },
    give(blocks) {
      for (const block of blocks) {
        returned.push(block);
        taken--;
      }
    },
  };
}
