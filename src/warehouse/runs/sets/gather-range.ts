import { createDeviceGrouper } from '../devices/device-groups.ts';
import { bisect, type DeviceRange } from '../devices/device-range.ts';
import {
  findHeld,
  maxLookups,
  positionOf,
  type TableMemory,
  tableOf,
} from '../devices/device-table.ts';
import { areEqual, compareDevices, seekDevice, wordsPerDevice } from '../devices/device-words.ts';
import { growArray } from '../devices/grow-array.ts';
import { createRowSorter } from '../devices/sort-rows.ts';
import type { MatchDigests, ReadableDigests } from '../digests/match-digests.ts';
import { pagesWithin } from '../file/page-index.ts';
import type { PageReader } from '../file/page-reader.ts';
import { numbersPerLength, type ProfileBatch, setLength } from '../file/profile-lists.ts';
import type { ReadableProfile, ReadableRun } from '../file/readable-run.ts';
import { devicesWithin, mayHold, type SortedChunks, walkPages } from '../file/walk-pages.ts';
import { newProfilePage, type ProfilePage, readProfilePage } from './profile-page.ts';

/** Devices of `take` that `within`, if given, also holds and `without` does not. */
interface GatherRange {
  readonly take: readonly ReadableRun[];
  readonly within: readonly ReadableRun[] | null;
  readonly without: readonly ReadableRun[];
  /** The runs that these profiles number are left out, too, unless they are gone. */
  readonly withoutProfiled: readonly LivingNumbers[];
  /** If not null, only devices whose digests are in this set. */
  readonly digested: ReadableDigests | null;
  readonly range: DeviceRange;
}

/** A profile, and for each of its numbers 1 if the run still exists, or 0. */
export interface LivingNumbers {
  readonly profile: ReadableProfile;
  readonly isAlive: Uint8Array;
}

/** The range has more devices than fit. Cut it at these bounds. */
export interface RangeTooLarge {
  readonly cutAt: Uint32Array;
}

export interface Gathered {
  /** Ascending and distinct. Valid until the next call. */
  readonly devices: Uint32Array;
  /** How many of them each run of `within` holds. */
  readonly held: readonly number[];
}

/** Gathers, within a range, the devices that some runs hold and others do not. */
export interface Gatherer {
  gather(reader: PageReader, input: GatherRange): Gathered | RangeTooLarge;
  /**
   * Writes the devices of the runs, each with the list of the runs that hold it, by position, to the
   * front of `into`, which has space for all.
   */
  profile(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
    into: ProfileBatch,
  ): ProfileBatch | RangeTooLarge;
  /** How many distinct devices the runs hold. */
  count(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
  ): number | RangeTooLarge;
}

/** Reuses its memory from range to range: besides the table, about 70 bytes per device of `capacity`. */
export function createGatherer(
  memory: TableMemory,
  capacity: number,
  match: MatchDigests,
): Gatherer {
  const found = new Uint32Array(maxLookups);
  const sorter = createRowSorter();
  let devices = new Uint32Array(0);
  let sorted = new Uint32Array(0);
  let positions = new Uint32Array(0);
  let marked = new Uint32Array(0);
  const grouper = createDeviceGrouper();
  const profilePage = newProfilePage();
  let places = new Uint32Array(0);

  /** Reads the devices of the runs into `devices`, run after run, and returns where each run ends. */
  function read(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
  ): number[] | RangeTooLarge {
    const pageDevices = devicesWithin(runs, range);
    const capacityWords = Math.min(capacity, pageDevices) * wordsPerDevice;
    // One more word, because the sorter reads the word after a device.
    devices = growArray(devices, capacityWords + 1);
    const ends: number[] = [];
    let length = 0;
    let isFull = false;
    for (const run of runs) {
      walkPages(reader, { run, range }, (page, begin, end) => {
        const fitting = page.subarray(begin, Math.min(end, begin + capacityWords - length));
        devices.set(fitting, length);
        length += fitting.length;
        isFull ||= fitting.length < end - begin;
      });
      if (isFull) {
        const distinct = sort(length / wordsPerDevice);
        return { cutAt: quantiles(distinct, Math.ceil(pageDevices / capacity)) };
      }
      ends.push(length / wordsPerDevice);
    }
    return ends;
  }

  /** Collects the distinct devices in `devices`, ascending, and returns their number. */
  function collect(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
  ): number | RangeTooLarge {
    const ends = read(reader, runs, range);
    if ('cutAt' in ends) return ends;
    const count = ends.at(-1) ?? 0;
    return runs.length === 1 ? count : sort(count);
  }

  /** Bounds that divide the devices that fitted into `parts` equal parts, at least 2. */
  function quantiles(count: number, parts: number): Uint32Array {
    const bounds = [];
    const most = Math.min(Math.max(parts, 2), 16);
    for (let part = 1; part < most; part++) {
      const at = Math.floor((count * part) / most) * wordsPerDevice;
      bounds.push(...devices.subarray(at, at + wordsPerDevice));
    }
    return Uint32Array.from(bounds);
  }

  /** Puts the positions of the devices, in their order, into `positions`. */
  function sortPositions(count: number): void {
    positions = growArray(positions, count);
    for (let i = 0; i < count; i++) positions[i] = i * wordsPerDevice;
    sorter.sort(devices, positions, count);
  }

  /** Sorts and deduplicates the devices; returns how many are left. */
  function sort(count: number): number {
    sortPositions(count);
    sorted = growArray(sorted, count * wordsPerDevice + 1);
    let to = 0;
    for (let i = 0; i < count; i++) {
      const from = positions[i]!;
      if (to > 0 && compareDevices(sorted, to - wordsPerDevice, devices, from) === 0) continue;
      sorted[to] = devices[from]!;
      sorted[to + 1] = devices[from + 1]!;
      sorted[to + 2] = devices[from + 2]!;
      sorted[to + 3] = devices[from + 3]!;
      to += wordsPerDevice;
    }
    [devices, sorted] = [sorted, devices];
    return to / wordsPerDevice;
  }

  function profile(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
    into: ProfileBatch,
  ): ProfileBatch | RangeTooLarge {
    const ends = read(reader, runs, range);
    if ('cutAt' in ends) return ends;
    const count = ends.at(-1) ?? 0;
    const distinct = grouper.group(devices, count);
    const groups = grouper.groups();
    sortPositions(distinct);
    // Where the list of each group ends, and then where its next number is written.
    places = growArray(places, distinct);
    places.fill(0, 0, distinct);
    for (let i = 0; i < count; i++) places[groups[i]!]!++;
    const { devices: ascending, lists } = into;
    let number = 0;
    for (let i = 0; i < distinct; i++) {
      const from = positions[i]!;
      const group = from / wordsPerDevice;
      const end = number + numbersPerLength + places[group]!;
      setLength(lists, number, end);
      places[group] = number + numbersPerLength;
      number = end;
      const to = i * wordsPerDevice;
      ascending[to] = devices[from]!;
      ascending[to + 1] = devices[from + 1]!;
      ascending[to + 2] = devices[from + 2]!;
      ascending[to + 3] = devices[from + 3]!;
    }
    for (const [run, end] of ends.entries()) {
      for (let i = ends[run - 1] ?? 0; i < end; i++) lists[places[groups[i]!]!++] = run;
    }
    return {
      devices: ascending.subarray(0, distinct * wordsPerDevice),
      lists: lists.subarray(0, number),
    };
  }

  /** For each device, the number of the run that holds it, counted from 1; 0 if none does. */
  function holdersOf(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
    count: number,
  ): Uint32Array {
    const marks = marked.subarray(0, count).fill(0);
    const table = tableOf(memory, devices, count);
    const set: SortedChunks = { devices, ends: [count * wordsPerDevice] };
    let unmarked = count;
    for (const [number, run] of runs.entries()) {
      if (unmarked === 0) break;
      walkPages(reader, { run, range, wanted: set }, (page, begin, end) => {
        const held = findHeld(table, page, begin, end, found);
        for (let i = 0; i < held; i++) {
          const position = positionOf(table, found[i]!);
          if (marks[position] === 0) unmarked--;
          marks[position] = number + 1;
        }
      });
    }
    return marks;
  }

  /** Marks each device that a living run of the profiles holds with 1, the others with 0. */
  function marksOfProfiled(
    reader: PageReader,
    profiles: readonly LivingNumbers[],
    range: DeviceRange,
    count: number,
  ): Uint32Array {
    const marks = marked.subarray(0, count).fill(0);
    const end = count * wordsPerDevice;
    const set: SortedChunks = { devices, ends: [end] };
    for (const { profile, isAlive } of profiles) {
      let at = 0;
      const pages = pagesWithin(profile.index, range);
      for (let page = pages.begin; page < pages.end && at < end; page++) {
        if (!mayHold(profile.index, page, set)) continue;
        readProfilePage(profilePage, reader, profile, page);
        at = markListed(profilePage, isAlive, devices, at, end, marks);
      }
    }
    return marks;
  }

  function gather(reader: PageReader, input: GatherRange): Gathered | RangeTooLarge {
    const { take, within, without, withoutProfiled, digested, range } = input;
    const collected = collect(reader, take, range);
    if (typeof collected !== 'number') return collected;
    let count = collected;
    const leaveOut = (marks: Uint32Array) => {
      count = keepMarked(devices, marks, (mark) => mark === 0);
    };
    marked = growArray(marked, count);
    if (withoutProfiled.length > 0 && count > 0) {
      leaveOut(marksOfProfiled(reader, withoutProfiled, range, count));
    }
    if (without.length > 0 && count > 0) leaveOut(holdersOf(reader, without, range, count));
    if (digested && count > 0) {
      const marks = marked.subarray(0, count).fill(1);
      match(devices.subarray(0, count * wordsPerDevice), digested, (device) => {
        marks[device] = 0;
      });
      leaveOut(marks);
    }
    const held = (within ?? []).map(() => 0);
    if (within && count > 0) {
      const marks = holdersOf(reader, within, range, count);
      for (const mark of marks) if (mark > 0) held[mark - 1]!++;
      count = keepMarked(devices, marks, (mark) => mark > 0);
    }
    return { devices: devices.subarray(0, count * wordsPerDevice), held };
  }

  return { gather, profile, count: collect };
}

/** Moves the devices to keep to the front, and returns their number. */
function keepMarked(
  devices: Uint32Array,
  marks: Uint32Array,
  isKept: (mark: number) => boolean,
): number {
  let to = 0;
  for (let i = 0; i < marks.length; i++) {
    if (!isKept(marks[i]!)) continue;
    for (let word = 0; word < wordsPerDevice; word++) {
      devices[to++] = devices[i * wordsPerDevice + word]!;
    }
  }
  return to / wordsPerDevice;
}

/**
 * Marks the devices from `at` to before `end` that the page holds with a living number. Returns where
 * to go on with the next page.
 */
function markListed(
  page: ProfilePage,
  isAlive: Uint8Array,
  devices: Uint32Array,
  at: number,
  end: number,
  marks: Uint32Array,
): number {
  const last = page.devices.length - wordsPerDevice;
  let i = bisect(devices, at, end, wordsPerDevice, page.devices, 0);
  for (let listed = 0; i < end; i += wordsPerDevice) {
    if (compareDevices(devices, i, page.devices, last) > 0) break;
    listed = seekDevice(page.devices, listed, devices, i);
    if (!areEqual(devices, i, page.devices, listed)) continue;
    if (hasLivingNumber(page, listed / wordsPerDevice, isAlive)) marks[i / wordsPerDevice] = 1;
  }
  return i;
}

function hasLivingNumber(
  { begins, numbers }: ProfilePage,
  device: number,
  isAlive: Uint8Array,
): boolean {
  const end = begins[device + 1]! - numbersPerLength;
  for (let i = begins[device]!; i < end; i++) if (isAlive[numbers[i]!] === 1) return true;
  return false;
}
