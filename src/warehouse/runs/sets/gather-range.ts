import type { DeviceRange } from '../devices/device-range.ts';
import {
  findHeld,
  maxLookups,
  positionOf,
  type TableMemory,
  tableOf,
} from '../devices/device-table.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import { grown } from '../devices/grow-array.ts';
import { createRowSorter } from '../devices/sort-rows.ts';
import type { OpenRun } from '../file/readable-run.ts';
import type { SegmentReader } from '../file/page-reader.ts';
import { devicesWithin, type Stretches, walkPages } from '../file/walk-pages.ts';

/** Devices of `take`; if `within` is given, only those that it holds; none that `without` holds. */
interface GatherRange {
  readonly take: readonly OpenRun[];
  readonly within: readonly OpenRun[] | null;
  readonly without: readonly OpenRun[];
  readonly range: DeviceRange;
}

/** There are more devices in the range than fit: bounds at which to cut it. */
export interface TooMany {
  readonly cutAt: Uint32Array;
}

export interface Gathered {
  /** Ascending and distinct. They stay there until the next call. */
  readonly devices: Uint32Array;
  /** How many of them each run of `within` holds. */
  readonly held: readonly number[];
}

/** Gathers, within a range, the devices that some runs hold and others do not. */
export interface Gatherer {
  gather(reader: SegmentReader, input: GatherRange): Gathered | TooMany;
  /** How many distinct devices the runs hold. */
  count(reader: SegmentReader, runs: readonly OpenRun[], range: DeviceRange): number | TooMany;
}

/**
 * Keeps its memory from one range to the next: beside the table about 70 bytes for each of `capacity`
 * devices.
 */
export function createGatherer(memory: TableMemory, capacity: number): Gatherer {
  const found = new Uint32Array(maxLookups);
  const sorter = createRowSorter();
  let devices = new Uint32Array(0);
  let sorted = new Uint32Array(0);
  let positions = new Uint32Array(0);
  // Which run of `within` holds each device, and which of `without`.
  let inside = new Uint32Array(0);
  let outside = new Uint32Array(0);

  /** The distinct devices to the front of `devices`, ascending; how many there are. */
  function collect(
    reader: SegmentReader,
    runs: readonly OpenRun[],
    range: DeviceRange,
  ): number | TooMany {
    const pageDevices = devicesWithin(runs, range);
    const room = Math.min(capacity, pageDevices) * wordsPerDevice;
    // One word more, for the sorter looks at the one after a device.
    devices = grown(devices, room + 1);
    let length = 0;
    let isFull = false;
    for (const run of runs) {
      walkPages(reader, { run, range }, (page, begin, end) => {
        const fitting = page.subarray(begin, Math.min(end, begin + room - length));
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

  /** Of the devices that did fit, `parts` - 1 that part them into alike numbers, 1 at least. */
  function quantiles(count: number, parts: number): Uint32Array {
    const bounds = [];
    const most = Math.min(Math.max(parts, 2), 16);
    for (let part = 1; part < most; part++) {
      const at = Math.floor((count * part) / most) * wordsPerDevice;
      bounds.push(...devices.subarray(at, at + wordsPerDevice));
    }
    return Uint32Array.from(bounds);
  }

  /** Sorts the devices and drops those that are there already; how many are left. */
  function sort(count: number): number {
    positions = grown(positions, count);
    for (let i = 0; i < count; i++) positions[i] = i * wordsPerDevice;
    sorter.sort(devices, positions, count);
    sorted = grown(sorted, count * wordsPerDevice + 1);
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

  /** The devices that the runs hold, each with the number of the run that does, from 1 on; else 0. */
  function holdersOf(
    reader: SegmentReader,
    runs: readonly OpenRun[],
    range: DeviceRange,
    count: number,
    holders: Uint32Array,
  ): Uint32Array {
    const marks = holders.subarray(0, count).fill(0);
    const table = tableOf(memory, devices, count);
    const set: Stretches = { devices, ends: [count * wordsPerDevice] };
    let unmarked = count;
    for (const [number, run] of runs.entries()) {
      if (unmarked === 0) break;
      walkPages(reader, { run, range, lookedFor: set }, (page, begin, end) => {
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

  function gather(reader: SegmentReader, input: GatherRange): Gathered | TooMany {
    const { take, within, without, range } = input;
    const collected = collect(reader, take, range);
    if (typeof collected !== 'number') return collected;
    let count = collected;
    if (within && count > 0) {
      inside = grown(inside, count);
      const marks = holdersOf(reader, within, range, count, inside);
      count = keep(devices, wordsPerDevice, marks, (mark) => mark > 0);
      keep(inside, 1, marks, (mark) => mark > 0);
    }
    if (without.length > 0 && count > 0) {
      outside = grown(outside, count);
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

/** Moves the items, of so many words each, whose mark is to be kept to the front; how many they are. */
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
