/** Large enough that a message and a system call for each block cost little. */
export const blockBytes = 512 << 10;
/** More blocks make a write no faster. */
const mostBlocks = 8;
/** Memory for the blocks of all writes of a process together, unless there are more than 128 writes. */
const memoryBytes = 64 << 20;
/** Free blocks that are kept for later writes. */
const mostFreeBlocks = memoryBytes / blockBytes;

/** Whole blocks are shared memory, so that threads can write them and compute their checksums. */
export type Block = Uint8Array<ArrayBufferLike>;

const freeBlocks: Block[] = [];
/** How many writes are in progress. */
let writes = 0;

/**
 * The blocks of one write, until it is disposed. The more writes are in progress, the fewer blocks each has.
 * Content of a few bytes needs no whole block.
 */
export function openBlocks(contentBytes = blockBytes) {
  const length = Math.min(blockBytes, Math.max(1, contentBytes));
  /** The memory of whole blocks that were taken. */
  const taken = new Set<ArrayBufferLike>();
  writes++;

  function free(buffer: ArrayBufferLike): void {
    if (taken.delete(buffer) && freeBlocks.length < mostFreeBlocks) {
      freeBlocks.push(new Uint8Array(buffer));
    }
  }

  return {
    most: () => Math.max(1, Math.min(mostBlocks, Math.floor(memoryBytes / blockBytes / writes))),
    take(): Block {
      // V8 does not count shared memory, so it would be late to free many small blocks of it.
      if (length < blockBytes) return new Uint8Array(length);
      const block = freeBlocks.pop() ?? new Uint8Array(new SharedArrayBuffer(blockBytes));
      taken.add(block.buffer);
      return block;
    },
    giveBack: ({ buffer }: Block): void => free(buffer),
    [Symbol.dispose]() {
      writes--;
      // A write that failed had a block that it was filling.
      for (const buffer of taken) free(buffer);
    },
  };
}
