import type { DeviceRange } from '../devices/device-range.ts';
import { newTableMemory } from '../devices/device-table.ts';
import { readPackedIndexes } from '../file/packed-indexes.ts';
import { closingAfter, createSegmentReader } from '../file/page-reader.ts';
import { cutRanges, type RangesToCut } from './cut-ranges.ts';
import { createGatherer, type TooMany } from './gather-range.ts';
import { createOverlapCounter } from './overlap-range.ts';
import { type RunList, runsIn } from './packed-runs.ts';

export type SetTasks = ReturnType<typeof createSetTasks>;

/** So many devices at most are gathered at a time, which takes 30 MB beside the table. */
export const gatherCapacity = 400_000;

/** What one thread does with sets of runs. */
export function createSetTasks(capacity = gatherCapacity) {
  const reader = createSegmentReader();
  const memory = newTableMemory();
  const gatherer = createGatherer(memory, capacity);
  const overlaps = createOverlapCounter(memory);
  return closingAfter(reader, {
    readIndexes: readPackedIndexes,

    cut: ({ runs, ...input }: RunsToCut): Uint32Array =>
      cutRanges({ ...input, runs: runsIn(runs) }),

    overlap({ of, against, ends, ranges }: OverlapTask): number[] {
      const runs = runsIn(against);
      const segments = ends.map((end, i) => runs.slice(ends[i - 1] ?? 0, end));
      return overlaps.count(reader, { of: runsIn(of), against: segments, ranges });
    },

    count({ runs, range }: { runs: RunList; range: DeviceRange }): number | TooMany {
      return gatherer.count(reader, runsIn(runs), range);
    },

    /** The devices are written to the front of `into`, which has room for all. */
    gather({ into, take, within, without, range }: GatherInto): GatheredInto | TooMany {
      const outcome = gatherer.gather(reader, {
        take: runsIn(take),
        within: within && runsIn(within),
        without: runsIn(without),
        range,
      });
      if ('cutAt' in outcome) return outcome;
      into.set(outcome.devices);
      return { words: outcome.devices.length, held: outcome.held };
    },
  });
}

type RunsToCut = Omit<RangesToCut, 'runs'> & { readonly runs: RunList };

interface OverlapTask {
  readonly of: RunList;
  /** Runs of one segment after the other, and where those of each end. */
  readonly against: RunList;
  readonly ends: readonly number[];
  readonly ranges: readonly DeviceRange[];
}

export interface GatherInto {
  readonly take: RunList;
  readonly within: RunList | null;
  readonly without: RunList;
  readonly range: DeviceRange;
  readonly into: Uint32Array<SharedArrayBuffer>;
}

export interface GatheredInto {
  readonly words: number;
  readonly held: readonly number[];
}
