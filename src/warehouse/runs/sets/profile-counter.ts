import { bisect } from '../devices/device-range.ts';
import { areEqual, compareDevices, seekDevice, wordsPerDevice } from '../devices/device-words.ts';
import { wordsPerSpan } from '../file/page-index.ts';
import { newPageMemory, type PageMemory, type PageReader } from '../file/page-reader.ts';
import { numbersPerLength } from '../file/profile-lists.ts';
import type { ReadableProfile, ReadableRun } from '../file/readable-run.ts';
import { newProfilePage, type ProfilePage, readProfilePage } from './profile-page.ts';
import { newCursor, type RunCursor, seek } from './run-cursor.ts';
import { isMarked } from './word-marks.ts';

export interface ProfileCountInput {
  /** A run without lists counts as a profile that numbers just this run. */
  readonly profile: ReadableRun | ReadableProfile;
  /** How many runs the profile numbers. */
  readonly numbers: number;
  /** The runs of each set. */
  readonly sets: readonly (readonly ReadableRun[])[];
  /** The pages of the profile to count, to before `end`. */
  readonly pages: { readonly begin: number; readonly end: number };
}

/** Counts, within some pages of a profile, how many devices of each set each numbered run holds. */
export interface ProfileCounter {
  /** The counts of the first set by number, then those of the next set. */
  count(reader: PageReader, input: ProfileCountInput): Uint32Array;
}

/** If a set has so many times fewer devices than the page, its devices are searched one by one. */
const sparseness = 16;

/** Reuses its memory: a page of the profile, and 64 KiB for each run of the sets. */
export function createProfileCounter(): ProfileCounter {
  const page = newProfilePage();
  const memories: PageMemory[] = [];

  function cursorsOf({ sets, numbers }: ProfileCountInput): SetCursor[] {
    const cursors: SetCursor[] = [];
    for (const [set, runs] of sets.entries()) {
      for (const run of runs) {
        const memory = memories[cursors.length] ?? newPageMemory();
        memories[cursors.length] = memory;
        cursors.push({ cursor: newCursor(run, memory), base: set * numbers });
      }
    }
    return cursors;
  }

  return {
    count(reader, input) {
      const { profile, numbers, sets, pages } = input;
      const { spans } = profile.index;
      const counts = new Uint32Array(sets.length * numbers);
      const cursors = cursorsOf(input);
      for (let number = pages.begin; number < pages.end; number++) {
        const first = number * wordsPerSpan;
        const last = first + wordsPerDevice;
        const within = cursors.filter(
          ({ cursor }) =>
            seek(cursor, reader, spans, first) &&
            compareDevices(cursor.devices, cursor.at, spans, last) <= 0,
        );
        if (within.length === 0) continue;
        readProfilePage(page, reader, profile, number);
        for (const { cursor, base } of within) {
          let at = 0;
          do at = countMatches(page, at, cursor, counts, base);
          while (at < page.devices.length && seek(cursor, reader, page.devices, at));
        }
      }
      return counts;
    },
  };
}

/** A run of a set, and where the counts of the set begin. */
interface SetCursor {
  readonly cursor: RunCursor;
  readonly base: number;
}

/**
 * Counts the devices that both the profile's page, from `at`, and the page under the cursor hold, until
 * one of the pages ends. Moves the cursor, and returns where it stopped in the profile's page.
 */
function countMatches(
  page: ProfilePage,
  at: number,
  cursor: RunCursor,
  counts: Uint32Array,
  base: number,
): number {
  const words = cursor.devices;
  const end = page.devices.length;
  // No device before `until` is above the last one of the profile's page.
  const until = afterDevice(words, cursor.at, page.devices, end - wordsPerDevice);
  const stopped =
    page.numbers.length > 0
      ? addLists(page, at, cursor, until, counts, base)
      : addHeld(page, at, cursor, until, counts, base);
  cursor.at = until;
  return until < words.length ? end : stopped;
}

/** Adds the lists of the devices under the cursor to the counts from `base`. */
function addLists(
  { devices, begins, numbers }: ProfilePage,
  at: number,
  { devices: words, at: first }: RunCursor,
  until: number,
  counts: Uint32Array,
  base: number,
): number {
  const end = devices.length;
  const isSparse = end - at > (until - first) * sparseness;
  let i = at;
  for (let k = first; k < until; k += wordsPerDevice) {
    if (isSparse) i = bisect(devices, i, end, wordsPerDevice, words, k);
    else i = seekDevice(devices, i, words, k);
    if (!areEqual(devices, i, words, k)) continue;
    const device = i / wordsPerDevice;
    const last = begins[device + 1]! - numbersPerLength;
    for (let number = begins[device]!; number < last; number++) {
      counts[base + numbers[number]!]!++;
    }
  }
  return i;
}

/** Adds the number of devices under the cursor that the page holds to the count at `base`. */
function addHeld(
  { devices, marks }: ProfilePage,
  at: number,
  { devices: words, at: first }: RunCursor,
  until: number,
  counts: Uint32Array,
  base: number,
): number {
  let i = at;
  let held = 0;
  for (let k = first; k < until; k += wordsPerDevice) {
    if (!isMarked(marks, words[k]!)) continue;
    i = seekDevice(devices, i, words, k);
    if (areEqual(devices, i, words, k)) held++;
  }
  counts[base]! += held;
  return i;
}

/** Where the devices up to and including the given one end. */
function afterDevice(
  words: Uint32Array,
  begin: number,
  device: Uint32Array,
  deviceAt: number,
): number {
  const at = bisect(words, begin, words.length, wordsPerDevice, device, deviceAt);
  const isHeld = at < words.length && areEqual(words, at, device, deviceAt);
  return isHeld ? at + wordsPerDevice : at;
}
