import type { OpenRun } from '../open-run.ts';
import { type RunPlace, readIndexes } from '../read-index.ts';
import { cutRanges, type RangesToCut } from './cut-ranges.ts';
import type { DeviceRange } from './device-range.ts';
import { newTableMemory } from './device-table.ts';
import { createGatherer, type GatherRange, type TooMany } from './gather-range.ts';
import { createOverlapCounter, type OverlapInput } from './overlap-range.ts';
import type { PageIndex } from './page-index.ts';
import { createSegmentReader } from './segment-reader.ts';

export type SetTasks = ReturnType<typeof createSetTasks>;

/** So many devices at most are gathered at a time, which takes 30 MB beside the table. */
export const gatherCapacity = 400_000;

/** 14 MB. */
const waitingDevices = 750_000;

/** What one thread does with sets of runs. */
export function createSetTasks(capacity = gatherCapacity) {
  const reader = createSegmentReader();
  const memory = newTableMemory();
  const gatherer = createGatherer(memory, capacity);
  const overlaps = createOverlapCounter(memory, waitingDevices);
  return {
    readIndexes({ fd, runs }: { fd: number; runs: readonly RunPlace[] }): PageIndex[] {
      return readIndexes(fd, runs);
    },

    cut: (input: RangesToCut): Uint32Array => cutRanges(input),

    overlap: (input: OverlapInput): number[] => overlaps.count(reader, input),

    count({ runs, range }: { runs: readonly OpenRun[]; range: DeviceRange }): number | TooMany {
      return gatherer.count(reader, runs, range);
    },

    /** The devices are written to the front of `into`, which has room for all. */
    gather({ into, ...input }: GatherInto): GatheredInto | TooMany {
      const outcome = gatherer.gather(reader, input);
      if ('cutAt' in outcome) return outcome;
      into.set(outcome.devices);
      return { words: outcome.devices.length, held: outcome.held };
    },
  };
}

export interface GatherInto extends GatherRange {
  readonly into: Uint32Array<SharedArrayBuffer>;
}

export interface GatheredInto {
  readonly words: number;
  readonly held: readonly number[];
}
