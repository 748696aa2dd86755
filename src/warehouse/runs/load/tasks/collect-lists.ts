import { headerNumber, inPlace, removal, wordsPerDevice } from '../../../../domain/row-batch.ts';
import { extendArray, growArray } from '../../devices/grow-array.ts';
import { wordsPerRow } from '../../devices/rows.ts';
import { removalOfNothing } from './scatter.ts';

/**
 * Which lists of devices there are: first one list of additions for each segment, by its number. If
 * rows remove devices, one list of removals for each segment follows, and one for removals from all.
 * The last ones, if wanted, have the devices that any row adds, and all devices.
 */
export interface ListLayout {
  readonly segments: number;
  readonly removals: boolean;
  readonly added?: boolean;
  readonly all?: boolean;
}

export function countLists(lists: ListLayout): number {
  return allDevices(lists) + (lists.all ? 1 : 0);
}

/** The list of the devices that any row adds. */
export function addedDevices({ segments, removals }: ListLayout): number {
  return removals ? 2 * segments + 1 : segments;
}

/** The list of all devices. */
export function allDevices(lists: ListLayout): number {
  return addedDevices(lists) + (lists.added ? 1 : 0);
}

export function removalsOf(number: number, { segments }: ListLayout): number {
  return segments + number;
}

export function removalsFromAll({ segments }: ListLayout): number {
  return 2 * segments;
}

interface Collected {
  /** Distinct devices, ascending. */
  readonly devices: Uint32Array;
  /** The devices with at least one row that does not remove them. */
  readonly added: Uint32Array;
  /** The devices of all lists, list by list, each ascending and distinct. */
  readonly listed: Uint32Array;
  /** How many devices each list has. */
  readonly counts: Uint32Array<ArrayBuffer>;
}

/** Turns sorted rows, added part by part in ascending order, into lists of distinct devices. */
export interface ListCollector {
  begin(lists: ListLayout): void;
  /** Reserves memory for more rows, with at most this many segment numbers. */
  reserve(rows: number, numbers: number): void;
  /** Adds the rows at the first `count` positions, in this order. */
  add(rows: Uint32Array, positions: Uint32Array, count: number): void;
  /** The distinct devices so far, ascending. */
  devices(): Uint32Array;
  /** Takes the devices with a mark off all lists, and returns these lists. */
  leaveOut(marks: Uint8Array): ReadonlySet<number>;
  /** Writes the lists to memory from `allocate`. Other results are valid until the next `begin`. */
  finish(allocate: (words: number) => Uint32Array): Collected;
}

export function createListCollector(): ListCollector {
  let lists: ListLayout = { segments: 0, removals: false };
  let devices = new Uint32Array(0);
  let deviceCount = 0;
  let isAdded = new Uint8Array(0);
  // Pairs of list and device number, in the order of the devices.
  let pairs = new Uint32Array(0);
  let pairCount = 0;
  // The latest device of each list, counted from 1. It detects duplicates without sorting.
  let latest = new Uint32Array(0);
  let added = new Uint32Array(0);
  let renumbered = new Uint32Array(0);

  function reserve(rowCount: number, numbers: number): void {
    const total = deviceCount + rowCount;
    devices = extendArray(devices, deviceCount * wordsPerDevice, total * wordsPerDevice);
    pairs = extendArray(pairs, pairCount * 2, (pairCount + numbers) * 2);
    if (lists.removals) isAdded = extendArray(isAdded, deviceCount, total);
  }

  function add(rows: Uint32Array, positions: Uint32Array, count: number): void {
    // Local constants, because V8 reloads captured variables at every use.
    const into = devices;
    const added = isAdded;
    const seen = latest;
    const pairWords = pairs;
    const { removals, segments } = lists;
    let end = deviceCount * wordsPerDevice;
    let pairEnd = pairCount * 2;
    let isFirst = true;
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < count; i++) {
      const at = positions[i]!;
      const first = rows[at]! | 0;
      const second = rows[at + 1]! | 0;
      const third = rows[at + 2]! | 0;
      const fourth = rows[at + 3]! | 0;
      if (((first ^ a) | (second ^ b) | (third ^ c) | (fourth ^ d)) !== 0 || isFirst) {
        a = first;
        b = second;
        c = third;
        d = fourth;
        into[end] = a;
        into[end + 1] = b;
        into[end + 2] = c;
        into[end + 3] = d;
        if (removals) added[end >>> 2] = 0;
        end += wordsPerDevice;
        isFirst = false;
      }
      // Counted from 1.
      const device = end >>> 2;
      const header = rows[at + wordsPerDevice]!;
      let firstList = 0;
      if (removals) {
        if ((header & removal) === 0) added[device - 1] = 1;
        else if (header === removalOfNothing) continue;
        else firstList = segments;
      }
      let list = firstList + (header & headerNumber);
      let next = at + wordsPerRow;
      let left = 0;
      if ((header & inPlace) === 0) {
        left = header & headerNumber;
        if (left > 0) list = firstList + rows[next]!;
        else if (firstList > 0) list = 2 * segments;
        else continue;
      }
      for (;;) {
        if (seen[list] !== device) {
          seen[list] = device;
          pairWords[pairEnd] = list;
          pairWords[pairEnd + 1] = device - 1;
          pairEnd += 2;
        }
        if (--left <= 0) break;
        list = firstList + rows[++next]!;
      }
    }
    deviceCount = end >>> 2;
    pairCount = pairEnd / 2;
  }

  function leaveOut(marks: Uint8Array): ReadonlySet<number> {
    renumbered = growArray(renumbered, deviceCount);
    let kept = 0;
    for (let device = 0; device < deviceCount; device++) {
      renumbered[device] = marks[device] === 0 ? kept : gone;
      if (marks[device] !== 0) continue;
      const from = device * wordsPerDevice;
      devices.copyWithin(kept * wordsPerDevice, from, from + wordsPerDevice);
      if (lists.removals) isAdded[kept] = isAdded[device]!;
      kept++;
    }
    const losing = new Set<number>();
    let end = 0;
    for (let i = 0; i < pairCount * 2; i += 2) {
      const list = pairs[i]!;
      const device = renumbered[pairs[i + 1]!]!;
      if (device === gone) losing.add(list);
      else {
        pairs[end] = list;
        pairs[end + 1] = device;
        end += 2;
      }
    }
    deviceCount = kept;
    pairCount = end / 2;
    return losing;
  }

  function finish(allocate: (words: number) => Uint32Array): Collected {
    const all = devices.subarray(0, deviceCount * wordsPerDevice);
    const added = lists.removals ? addedOf(all) : all;
    const whole = [...(lists.added ? [added] : []), ...(lists.all ? [all] : [])];
    const ofWhole = whole.reduce((sum, { length }) => sum + length, 0);
    const listed = allocate(pairCount * wordsPerDevice + ofWhole);
    const counts = new Uint32Array(countLists(lists));
    const used = pairs.subarray(0, pairCount * 2);
    for (let i = 0; i < used.length; i += 2) counts[used[i]!]!++;
    copyToLists(devices, used, startsOf(counts), listed);
    let end = pairCount * wordsPerDevice;
    for (const [i, list] of whole.entries()) {
      listed.set(list, end);
      counts[addedDevices(lists) + i] = list.length / wordsPerDevice;
      end += list.length;
    }
    return { devices: all, added, listed, counts };
  }

  function addedOf(all: Uint32Array): Uint32Array {
    added = growArray(added, all.length);
    let end = 0;
    for (let at = 0; at < all.length; at += wordsPerDevice) {
      if (isAdded[at >>> 2] === 0) continue;
      for (let word = 0; word < wordsPerDevice; word++) added[end++] = all[at + word]!;
    }
    return added.subarray(0, end);
  }

  return {
    begin(of) {
      lists = of;
      deviceCount = 0;
      pairCount = 0;
      latest = growArray(latest, countLists(of)).fill(0);
    },
    reserve,
    add,
    devices: () => devices.subarray(0, deviceCount * wordsPerDevice),
    leaveOut,
    finish,
  };
}

/** Instead of a device's number: it is on no list. */
const gone = 0xffff_ffff;

/** Copies the device of each pair to the next free place of its list. */
function copyToLists(
  devices: Uint32Array,
  pairs: Uint32Array,
  places: Uint32Array,
  listed: Uint32Array,
): void {
  for (let i = 0; i < pairs.length; i += 2) {
    const list = pairs[i]!;
    const to = places[list]!;
    const from = pairs[i + 1]! * wordsPerDevice;
    places[list] = to + wordsPerDevice;
    listed[to] = devices[from]!;
    listed[to + 1] = devices[from + 1]!;
    listed[to + 2] = devices[from + 2]!;
    listed[to + 3] = devices[from + 3]!;
  }
}

/** Where each list begins when lists are stored one after the other. */
function startsOf(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length);
  let start = 0;
  for (let list = 0; list < counts.length; list++) {
    starts[list] = start;
    start += counts[list]! * wordsPerDevice;
  }
  return starts;
}
