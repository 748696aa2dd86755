import type { Profile } from '../../../records/warehouse/profiles.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import { rangesBetween } from '../devices/device-range.ts';
import type { ListIndex } from '../file/page-index.ts';
import type { ProfileBatch } from '../file/profile-lists.ts';
import type { ReadableProfile } from '../file/readable-run.ts';
import type { OpenedRun } from '../file/run-opener.ts';
import type { BatchBuffers } from './batch-buffers.ts';
import type { RangeTooLarge } from './gather-range.ts';
import { mapConcurrently } from './map-concurrently.ts';
import { type Cut, packed } from './opened-runs.ts';
import type { PackedRuns } from './packed-runs.ts';
import type { ProfiledInto, ProfileInto, SetTasks } from './set-tasks.ts';

/** A profile that can be read. */
export interface OpenedProfile extends Profile {
  readonly open: ReadableProfile;
}

/** Writes and reads profiles on threads, range by range of device ids, in bounded memory. */
export interface Profiles {
  /**
   * Yields the devices of the runs, each with the list of the runs that hold it, by position, in
   * ascending batches. A batch is valid until the next one is requested.
   */
  make(runs: readonly OpenedRun[], signal: AbortSignal): AsyncGenerator<ProfileBatch>;
  /** Makes the lists of an opened profile readable as well. */
  withLists(profile: OpenedRun, numbers: number): Promise<OpenedProfile>;
  /**
   * For each set, by number: how many of its devices each run that the profile numbers holds. A run
   * alone has number 0.
   */
  count(
    profile: OpenedProfile | OpenedRun,
    sets: readonly (readonly OpenedRun[])[],
    signal: AbortSignal,
  ): Promise<Float64Array[]>;
}

interface ProfilesOptions {
  readonly run: ThreadPool<SetTasks>['run'];
  readonly cut: Cut;
  /** How many tasks are given to threads at a time. */
  readonly atOnce: number;
  /** How many devices a thread gathers at a time. */
  readonly capacity: number;
  readonly buffers: BatchBuffers;
}

/** Pages of a profile in a task: few enough that threads finish at about the same time. */
const pagesPerTask = 128;
/** Runs of sets in a task, which takes 64 KiB for each. */
const runsPerTask = 256;
const cachedIndexes = 32;

export function createProfiles(options: ProfilesOptions): Profiles {
  const { run, cut, atOnce, capacity, buffers } = options;
  // Files never change, and their names are never used again.
  const listIndexes = new Map<string, ListIndex>();

  async function* make(
    runs: readonly OpenedRun[],
    signal: AbortSignal,
  ): AsyncGenerator<ProfileBatch> {
    // Somewhat less than fits, because ranges are not cut evenly.
    const ranges = await cut(runs, Math.ceil(capacity * 0.9), signal);
    const list = packed(runs);
    const outcomes = mapConcurrently(ranges, atOnce, async (range) => {
      signal.throwIfAborted();
      const buffer = buffers.take();
      const input = { ...buffer, runs: list, range };
      return { buffer, input, outcome: await run('profile', input) };
    });
    for await (const { buffer, input, outcome } of outcomes) {
      yield* makeParts(input, outcome, signal);
      buffers.giveBack(buffer);
    }
  }

  /** Yields what was made; if the range was too large, makes its parts instead. */
  async function* makeParts(
    input: ProfileInto,
    outcome: ProfiledInto | RangeTooLarge,
    signal: AbortSignal,
  ): AsyncGenerator<ProfileBatch> {
    if (!('cutAt' in outcome)) {
      const { words, numbers } = outcome;
      yield { devices: input.devices.subarray(0, words), lists: input.lists.subarray(0, numbers) };
      return;
    }
    for (const range of rangesBetween(outcome.cutAt, input.range)) {
      signal.throwIfAborted();
      const part = { ...input, range };
      yield* makeParts(part, await run('profile', part), signal);
    }
  }

  async function listIndexOf({ run: place, open }: OpenedRun): Promise<ListIndex> {
    const known = listIndexes.get(place.file);
    const index = known ?? (await run('readListIndex', { run: open, place }));
    // Inserted again, so that the oldest comes first.
    listIndexes.delete(place.file);
    listIndexes.set(place.file, index);
    for (const file of listIndexes.keys()) {
      if (listIndexes.size <= cachedIndexes) break;
      listIndexes.delete(file);
    }
    return index;
  }

  return {
    make,

    async withLists(profile, numbers) {
      const lists = await listIndexOf(profile);
      return { run: profile.run, open: { ...profile.open, lists }, numbers };
    },

    async count(profile, sets, signal) {
      const numbers = 'numbers' in profile ? profile.numbers : 1;
      const counts = sets.map(() => new Float64Array(numbers));
      const { pages } = profile.open.index;
      const parts = Math.ceil(pages / pagesPerTask);
      // If the profile has few pages, threads share the sets instead.
      const groups = groupSets(sets, Math.ceil(atOnce / parts));
      const tasks = groups.flatMap((group) =>
        Array.from({ length: parts }, (_, part) => ({ group, begin: part * pagesPerTask })),
      );
      const done = mapConcurrently(tasks, atOnce, async ({ group, begin }) => {
        signal.throwIfAborted();
        const { runs, ends } = group;
        const end = Math.min(begin + pagesPerTask, pages);
        const input = { profile: profile.open, numbers, sets: runs, ends, pages: { begin, end } };
        return { group, part: await run('countProfile', input) };
      });
      for await (const { group, part } of done) {
        for (const [i, ofSet] of counts.slice(group.first, group.end).entries()) {
          const first = i * numbers;
          for (let number = 0; number < numbers; number++) ofSet[number]! += part[first + number]!;
        }
      }
      return counts;
    },
  };
}

/** Consecutive sets. */
interface SetGroup {
  readonly first: number;
  readonly end: number;
  readonly runs: PackedRuns;
  /** Where the runs of each set end. */
  readonly ends: readonly number[];
}

/** Divides the sets into at least `fewest` groups, if there are as many, with not too many runs each. */
function groupSets(sets: readonly (readonly OpenedRun[])[], fewest: number): SetGroup[] {
  const most = Math.ceil(sets.length / fewest);
  const groups: SetGroup[] = [];
  for (let first = 0; first < sets.length; ) {
    const ends: number[] = [];
    let runs = 0;
    let end = first;
    do {
      runs += sets[end++]!.length;
      ends.push(runs);
    } while (end < sets.length && end - first < most && runs + sets[end]!.length <= runsPerTask);
    groups.push({ first, end, runs: packed(sets.slice(first, end).flat()), ends });
    first = end;
  }
  return groups;
}
