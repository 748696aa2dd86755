import type { DeviceRange } from '../devices/device-range.ts';
import {
  findHeld,
  maxLookups,
  positionOf,
  type TableMemory,
  tableOf,
} from '../devices/device-table.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import { growArray } from '../devices/grow-array.ts';
import { createRowSorter } from '../devices/sort-rows.ts';
import type { PageReader } from '../file/page-reader.ts';
import type { ReadableRun } from '../file/readable-run.ts';
import { devicesWithin, type SortedChunks, walkPages } from '../file/walk-pages.ts';

/** Devices of `take` that `within`, if given, also holds and `without` does not. */
interface GatherRange {
  readonly take: readonly ReadableRun[];
  readonly within: readonly ReadableRun[] | null;
  readonly without: readonly ReadableRun[];
  readonly range: DeviceRange;
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
  /** How many distinct devices the runs hold. */
  count(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
  ): number | RangeTooLarge;
}

/** Reuses its memory from range to range: besides the table, about 70 bytes per device of `capacity`. */
export function createGatherer(memory: TableMemory, capacity: number): Gatherer {
  const found = new Uint32Array(maxLookups);
  const sorter = createRowSorter();
  let devices = new Uint32Array(0);
  let sorted = new Uint32Array(0);
  let positions = new Uint32Array(0);
  // For each device, the run of `within` or `without` that holds it.
  let inside = new Uint32Array(0);
  let outside = new Uint32Array(0);

  /** Collects the distinct devices in `devices`, ascending, and returns their number. */
  function collect(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
  ): number | RangeTooLarge {
    const pageDevices = devicesWithin(runs, range);
    const capacityWords = Math.min(capacity, pageDevices) * wordsPerDevice;
    // One more word, because the sorter reads the word after a device.
    devices = growArray(devices, capacityWords + 1);
    let length = 0;
    let isFull = false;
    for (const run of runs) {
      walkPages(reader, { run, range }, (page, begin, end) => {
        const fitting = page.subarray(begin, Math.min(end, begin + capacityWords - length));
        devices.set(fitting, length);
        length += fitting.length;
        isFull ||= fitting.length < end - begin;
      });
      if (isFull) break;
    }
    const count = length / wordsPerDevice;
    if (!isFull && runs.length === 1) return count;
    const distinct = sort(count);
    return isFull ? { cutAt: quantiles(distinct, Math.ceil(pageDevices / capacity)) } : distinct;
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

  /** Sorts and deduplicates the devices; returns how many are left. */
  function sort(count: number): number {
    positions = growArray(positions, count);
    for (let i = 0; i < count; i++) positions[i] = i * wordsPerDevice;
    sorter.sort(devices, positions, count);
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

  /** For each device, the number of the run that holds it, counted from 1; 0 if none does. */
  function holdersOf(
    reader: PageReader,
    runs: readonly ReadableRun[],
    range: DeviceRange,
    count: number,
    holders: Uint32Array,
  ): Uint32Array {
    const marks = holders.subarray(0, count).fill(0);
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

  function gather(reader: PageReader, input: GatherRange): Gathered | RangeTooLarge {
    const { take, within, without, range } = input;
    const collected = collect(reader, take, range);
    if (typeof collected !== 'number') return collected;
    let count = collected;
    if (within && count > 0) {
      inside = growArray(inside, count);
      const marks = holdersOf(reader, within, range, count, inside);
      count = keep(devices, wordsPerDevice, marks, (mark) => mark > 0);
      keep(inside, 1, marks, (mark) => mark > 0);
    }
    if (without.length > 0 && count > 0) {
      outside = growArray(outside, count);
      const marks = holdersOf(reader, without, range, count, outside);
      if (within) keep(inside, 1, marks, (mark) => mark === 0);
      count = keep(devices, wordsPerDevice, marks, (mark) => mark === 0);
    }
    const held = (within ?? []).map(() => 0);
    for (let i = 0; within && i < count; i++) held[inside[i]! - 1]!++;
    return { devices: devices.subarray(0, count * wordsPerDevice), held };
  }

  return { gather, count: collect };
}

/** Moves the items to keep, of `words` words each, to the front; returns their number. */
function keep(
  items: Uint32Array,
  words: number,
  marks: Uint32Array,
  isKept: (mark: number) => boolean,
): number {
  let to = 0;
  for (let i = 0; i < marks.length; i++) {
    if (!isKept(marks[i]!)) continue;
    for (let word = 0; word < words; word++) items[to++] = items[i * words + word]!;
  }
  return to / words;
}
