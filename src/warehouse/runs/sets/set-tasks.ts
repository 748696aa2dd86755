import type { DeviceRange } from '../devices/device-range.ts';
import { newTableMemory } from '../devices/device-table.ts';
import { readPackedIndexes } from '../file/packed-indexes.ts';
import { closeAfterEach, createPageReader } from '../file/page-reader.ts';
import { cutRanges, type RangesToCut } from './cut-ranges.ts';
import { createGatherer, type RangeTooLarge } from './gather-range.ts';
import { createOverlapCounter } from './overlap-range.ts';
import { type PackedRuns, unpackRuns } from './packed-runs.ts';

export type SetTasks = ReturnType<typeof createSetTasks>;

/** Most devices gathered at a time. They take 30 MB besides the table. */
export const gatherCapacity = 400_000;

/** The tasks of one thread on sets of runs. */
export function createSetTasks(capacity = gatherCapacity) {
  const reader = createPageReader();
  const memory = newTableMemory();
  const gatherer = createGatherer(memory, capacity);
  const overlaps = createOverlapCounter(memory);
  return closeAfterEach(reader, {
    readIndexes: readPackedIndexes,

    cut: ({ runs, ...input }: RunsToCut): Uint32Array =>
      cutRanges({ ...input, runs: unpackRuns(runs) }),

    overlap({ of, against, ends, ranges }: OverlapTask): number[] {
      const runs = unpackRuns(against);
      const segments = ends.map((end, i) => runs.slice(ends[i - 1] ?? 0, end));
      return overlaps.count(reader, { of: unpackRuns(of), against: segments, ranges });
    },

    count({ runs, range }: { runs: PackedRuns; range: DeviceRange }): number | RangeTooLarge {
      return gatherer.count(reader, unpackRuns(runs), range);
    },

    /** Writes the devices to the front of `into`, which has space for all of them. */
    gather({ into, take, within, without, range }: GatherInto): GatheredInto | RangeTooLarge {
      const outcome = gatherer.gather(reader, {
        take: unpackRuns(take),
        within: within && unpackRuns(within),
        without: unpackRuns(without),
        range,
      });
      if ('cutAt' in outcome) return outcome;
      into.set(outcome.devices);
      return { words: outcome.devices.length, held: outcome.held };
    },
  });
}

type RunsToCut = Omit<RangesToCut, 'runs'> & { readonly runs: PackedRuns };

interface OverlapTask {
  readonly of: PackedRuns;
  /** The runs of all segments, segment by segment; `ends` says where those of each segment end. */
  readonly against: PackedRuns;
  readonly ends: readonly number[];
  readonly ranges: readonly DeviceRange[];
}

export interface GatherInto {
  readonly take: PackedRuns;
  readonly within: PackedRuns | null;
  readonly without: PackedRuns;
  readonly range: DeviceRange;
  readonly into: Uint32Array<SharedArrayBuffer>;
}

export interface GatheredInto {
  readonly words: number;
  readonly held: readonly number[];
}
