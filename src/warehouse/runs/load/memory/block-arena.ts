import { initialWindow } from '../../devices/bit-window.ts';

const initialParts = 1 << initialWindow.bits;

/** A part that is too large is split into at least this many, even without available memory. */
export const minSplitParts = 16;

/** An upper bound for the blocks of a load that is not scattered. */
const bufferedBlocks = 32;

const smallestBlock = 4 * 1024;
const largestBlock = 64 * 1024;

const largestBudget = 2 ** 31;
/** Word positions in all blocks must stay below this. */
const maxWords = 2 ** 31;

/**
 * Blocks at powers of two would compete for the same few cache lines, because all parts are filled
 * side by side. With five more lines per block, scattering takes 10 ns a row instead of 16.
 */
const staggerWords = 80;

/** The memory for the rows of all loads of the process, divided into blocks. */
export interface BlockArena {
  readonly memory: Uint32Array<SharedArrayBuffer>;
  readonly blockWords: number;
  /** How many blocks all loads together may take. */
  readonly budget: number;
  /** How many blocks of the budget are left. */
  available(): number;
  /** Takes `count` blocks, or as many as the budget allows. Essential blocks may exceed the budget. */
  take(count: number, essential: boolean): Int32Array;
  release(blocks: Iterable<number>): void;
}

export interface ArenaOptions {
  /** Memory budget of all loads together. */
  readonly memoryBytes: number;
  readonly threads: number;
  /** How many loads of any size there may be at once. */
  readonly maxLoads: number;
  /** How many small loads, which are never scattered, there may be besides them. */
  readonly maxSmallLoads: number;
}

/** The sizes of an arena. Throws if the loads need more memory than it can address. */
export function planArena({ memoryBytes, threads, maxLoads, maxSmallLoads }: ArenaOptions) {
  const budgetBytes = Math.min(memoryBytes, largestBudget);
  // A load needs a block for each part on each thread. These should be a small part of the memory,
  // and those of all loads together should fit into it.
  const wanted = budgetBytes / (Math.max(8, maxLoads) * threads * initialParts);
  const multiple = Math.floor(wanted / smallestBlock) * smallestBlock;
  const blockBytes = Math.min(Math.max(multiple, smallestBlock), largestBlock);
  const blockWords = blockBytes / Uint32Array.BYTES_PER_ELEMENT + staggerWords;
  const budget = Math.floor(budgetBytes / Uint32Array.BYTES_PER_ELEMENT / blockWords);
  const essential = threads * (initialParts + minSplitParts) + bufferedBlocks;
  const blocks = budget + maxLoads * essential + maxSmallLoads * bufferedBlocks;
  if (blocks * blockWords > maxWords) {
    const size = (words: number) => `${Math.ceil((words * 4) / 2 ** 30)} GiB`;
    throw new RangeError(
      `${maxLoads} concurrent loads on ${threads} threads need up to ${size(blocks * blockWords)} of memory, but at most ${size(maxWords)} can be used: lower TRIBUTARY_WORKER_CONCURRENCY or TRIBUTARY_LOAD_MEMORY_MB`,
    );
  }
  return { blockWords, budget, blocks };
}

/**
 * The system allocates pages only when they are first written. The arena is never freed: threads might
 * release it late, and the next load would then take as much again.
 */
export function createBlockArena(options: ArenaOptions): BlockArena {
  const { blockWords, budget, blocks } = planArena(options);
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
      if (granted.length > blocks - taken) {
        throw new Error(`too many concurrent loads: at most ${options.maxLoads} are supported`);
      }
      for (let i = 0; i < granted.length; i++) granted[i] = returned.pop() ?? untouched++;
      taken += granted.length;
      return granted;
    },
    release(blocks) {
      for (const block of blocks) {
        returned.push(block);
        taken--;
      }
    },
  };
}
