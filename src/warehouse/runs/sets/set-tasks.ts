import type { DeviceRange } from '../devices/device-range.ts';
import { newTableMemory } from '../devices/device-table.ts';
import { fillDigestTable } from '../digests/digest-table.ts';
import type { TableToFill } from '../digests/digest-tables.ts';
import { createDigestMatcher, type ReadableDigests } from '../digests/match-digests.ts';
import { readPackedIndexes } from '../file/packed-indexes.ts';
import type { ListIndex } from '../file/page-index.ts';
import { closeAfterEach, createPageReader } from '../file/page-reader.ts';
import type { RunPlace } from '../file/read-index.ts';
import type { ReadableRun } from '../file/readable-run.ts';
import { cutRanges, type RangesToCut } from './cut-ranges.ts';
import { createGatherer, type LivingNumbers, type RangeTooLarge } from './gather-range.ts';
import { createOverlapCounter } from './overlap-range.ts';
import { type PackedRuns, unpackRuns } from './packed-runs.ts';
import { createProfileCounter, type ProfileCountInput } from './profile-counter.ts';

export type SetTasks = ReturnType<typeof createSetTasks>;

/** How many devices are gathered at a time, at most. They take 21 MB besides the table. */
export const gatherCapacity = 300_000;

/** The tasks of one thread on sets of runs. */
export function createSetTasks(capacity = gatherCapacity) {
  const reader = createPageReader();
  const memory = newTableMemory();
  const gatherer = createGatherer(memory, capacity, createDigestMatcher(reader));
  const overlaps = createOverlapCounter(memory);
  const profiles = createProfileCounter();
  return closeAfterEach(reader, {
    readIndexes: readPackedIndexes,

    fillDigestTable: ({ runs, table }: TableToFill): void => fillDigestTable(reader, runs, table),

    cut: ({ runs, ...input }: RunsToCut): Uint32Array =>
      cutRanges({ ...input, runs: unpackRuns(runs) }),

    overlap({ of, against, ends, ranges }: OverlapTask): number[] {
      const segments = divide(unpackRuns(against), ends);
      return overlaps.count(reader, { of: unpackRuns(of), against: segments, ranges });
    },

    count({ runs, range }: { runs: PackedRuns; range: DeviceRange }): number | RangeTooLarge {
      return gatherer.count(reader, unpackRuns(runs), range);
    },

    readListIndex: ({ run, place }: ListIndexToRead): ListIndex => reader.readListIndex(run, place),

    countProfile({ sets, ends, ...input }: ProfileCountTask): Uint32Array {
      return profiles.count(reader, { ...input, sets: divide(unpackRuns(sets), ends) });
    },

    /** Writes the devices and their lists to the front of the memory, which has space for all. */
    profile({ devices, lists, runs, range }: ProfileInto): ProfiledInto | RangeTooLarge {
      const outcome = gatherer.profile(reader, unpackRuns(runs), range, { devices, lists });
      if ('cutAt' in outcome) return outcome;
      return { words: outcome.devices.length, numbers: outcome.lists.length };
    },

    /** Writes the devices to the front of `into`, which has space for all of them. */
    gather({ into, take, within, without, ...input }: GatherInto): GatheredInto | RangeTooLarge {
      const outcome = gatherer.gather(reader, {
        take: unpackRuns(take),
        within: within && unpackRuns(within),
        without: unpackRuns(without),
        ...input,
      });
      if ('cutAt' in outcome) return outcome;
      into.set(outcome.devices);
      return { words: outcome.devices.length, held: outcome.held };
    },
  });
}

function divide<T>(items: readonly T[], ends: readonly number[]): T[][] {
  return ends.map((end, i) => items.slice(ends[i - 1] ?? 0, end));
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
  readonly withoutProfiled: readonly LivingNumbers[];
  readonly digested: ReadableDigests | null;
  readonly range: DeviceRange;
  readonly into: Uint32Array<SharedArrayBuffer>;
}

export interface GatheredInto {
  readonly words: number;
  readonly held: readonly number[];
}

interface ListIndexToRead {
  readonly run: ReadableRun;
  readonly place: RunPlace;
}

type ProfileCountTask = Omit<ProfileCountInput, 'sets'> & {
  /** The runs of all sets, set by set; `ends` says where those of each set end. */
  readonly sets: PackedRuns;
  readonly ends: readonly number[];
};

export interface ProfileInto {
  readonly runs: PackedRuns;
  readonly range: DeviceRange;
  readonly devices: Uint32Array<SharedArrayBuffer>;
  readonly lists: Uint16Array<SharedArrayBuffer>;
}

export interface ProfiledInto {
  readonly words: number;
  readonly numbers: number;
}
