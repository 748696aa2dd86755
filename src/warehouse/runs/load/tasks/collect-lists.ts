import { headerNumber, inPlace, removal, wordsPerDevice } from '../../../../domain/row-batch.ts';
import { grown } from '../../devices/grow-array.ts';
import { wordsPerRow } from '../../devices/rows.ts';
import { removalOfNothing } from './scatter.ts';

/**
 * The lists that rows put devices on. The first are the segments' additions, by their numbers. If
 * rows remove devices, as many follow for the segments' removals, and one for removals from all.
 */
export interface Lists {
  readonly segments: number;
  readonly removals: boolean;
}

export function countLists({ segments, removals }: Lists): number {
  return removals ? 2 * segments + 1 : segments;
}

export function removalsOf(number: number, { segments }: Lists): number {
  return segments + number;
}

export function removalsFromAll({ segments }: Lists): number {
  return 2 * segments;
}

interface Collected {
  /** Distinct devices, ascending. */
  readonly devices: Uint32Array;
  /** Those of them that a row does not remove; the same memory if no row removes anything. */
  readonly added: Uint32Array;
  /** The lists' devices, list by list, each ascending and without repeats. */
  readonly listed: Uint32Array;
  /** How many devices each list has. */
  readonly counts: Uint32Array<ArrayBuffer>;
}

/** Takes sorted rows, part by part in ascending order, and makes lists of distinct devices of them. */
export interface Collector {
  begin(lists: Lists): void;
  /** Makes room for so many rows, which hold so many numbers at most. */
  expect(rows: number, numbers: number): void;
  /** The rows at so many positions, in this order. */
  add(rows: Uint32Array, positions: Uint32Array, count: number): void;
  /** The lists go to memory that `place` gives for so many words; the rest is good until `begin`. */
  finish(place: (words: number) => Uint32Array): Collected;
}

export function createCollector(): Collector {
  let lists: Lists = { segments: 0, removals: false };
  let devices = new Uint32Array(0);
  let deviceCount = 0;
  let isAdded = new Uint8Array(0);
  // Each device on a list, in the order of the devices: the list, and which device.
  let pairs = new Uint32Array(0);
  let pairCount = 0;
  // Which device a list got last, counted from 1: how a repeat is told without sorting.
  let latest = new Uint32Array(0);
  let added = new Uint32Array(0);

  function expect(rowCount: number, numbers: number): void {
    devices = enlarged(devices, deviceCount * wordsPerDevice, rowCount * wordsPerDevice);
    pairs = enlarged(pairs, pairCount * 2, numbers * 2);
    if (lists.removals && isAdded.length < deviceCount + rowCount) {
      const larger = new Uint8Array(deviceCount + rowCount);
      larger.set(isAdded.subarray(0, deviceCount));
      isAdded = larger;
    }
  }

  function add(rows: Uint32Array, positions: Uint32Array, count: number): void {
    // As constants of this function, for what may change is looked up anew at every use.
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

  function finish(place: (words: number) => Uint32Array): Collected {
    const listed = place(pairCount * wordsPerDevice);
    const counts = new Uint32Array(countLists(lists));
    const used = pairs.subarray(0, pairCount * 2);
    for (let i = 0; i < used.length; i += 2) counts[used[i]!]!++;
    spread(devices, used, placesOf(counts), listed);
    const all = devices.subarray(0, deviceCount * wordsPerDevice);
    return {
      devices: all,
      added: lists.removals ? addedOf(all) : all,
      listed,
      counts,
    };
  }

  function addedOf(all: Uint32Array): Uint32Array {
    added = grown(added, all.length);
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
      latest = grown(latest, countLists(of)).fill(0);
    },
    expect,
    add,
    finish,
  };
}

/** Copies each pair's device to where its list's next one goes. */
function spread(
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

/** Where each list begins when they lie one after the other. */
function placesOf(counts: Uint32Array): Uint32Array {
  const places = new Uint32Array(counts.length);
  let place = 0;
  for (let list = 0; list < counts.length; list++) {
    places[list] = place;
    place += counts[list]! * wordsPerDevice;
  }
  return places;
}

/** With room for so many more after those used, which stay. */
function enlarged(
  array: Uint32Array<ArrayBuffer>,
  used: number,
  more: number,
): Uint32Array<ArrayBuffer> {
  if (array.length >= used + more) return array;
  const larger = new Uint32Array(Math.ceil((used + more) * 1.125));
  larger.set(array.subarray(0, used));
  return larger;
}
