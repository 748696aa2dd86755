import {
  type ArenaOptions,
  type BlockArena,
  createBlockArena,
  planArena,
} from './memory/block-arena.ts';

/** The memory that all loads of a process share. */
export interface LoadMemory {
  /** Larger parts are split before they are sorted. */
  readonly maxPartWords: number;
  arena(): BlockArena;
}

/** Sorting a part takes up to ten times its size, so a part may use only this fraction of the memory. */
const largestPartFraction = 1 / 48;

export function createLoadMemory(options: ArenaOptions): LoadMemory {
  planArena(options);
  let arena: BlockArena | undefined;
  return {
    maxPartWords: (options.memoryBytes / Uint32Array.BYTES_PER_ELEMENT) * largestPartFraction,
    arena() {
      // Created late, because some processes only check whether the warehouse is ready.
      arena ??= createBlockArena(options);
      return arena;
    },
  };
}

/** An audience job can have a load for small files and one for a large file at the same time. */
const loadsPerLane = 2;

/** How many loads there may be at once if this many jobs run, and this many with small loads beside them. */
export function loadLimits(
  lanes: number,
  smallLanes: number,
): Pick<ArenaOptions, 'maxLoads' | 'maxSmallLoads'> {
  // One more, for a load that belongs to no job.
  return { maxLoads: loadsPerLane * lanes + 1, maxSmallLoads: loadsPerLane * smallLanes };
}
