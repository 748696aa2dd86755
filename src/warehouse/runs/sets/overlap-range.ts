import { wordsPerDevice } from '../device-words.ts';
import { grown } from '../load/grown.ts';
import type { OpenRun } from '../open-run.ts';
import type { DeviceRange } from './device-range.ts';
import {
  type DeviceTable,
  findHeld,
  maxLookups,
  type TableMemory,
  tableOf,
  touchZone,
  zoneEnd,
  zonesOf,
} from './device-table.ts';
import { type PageRoom, type SegmentReader, wordsBeforePage } from './segment-reader.ts';
import { devicesWithin, type Stretches, walkPages } from './walk-pages.ts';

interface OverlapInput {
  readonly of: readonly OpenRun[];
  /** The runs of each segment. */
  readonly against: readonly (readonly OpenRun[])[];
  readonly ranges: readonly DeviceRange[];
}

/** Counts, within ranges, the devices of one set that each of several segments holds. */
export interface OverlapCounter {
  count(reader: SegmentReader, input: OverlapInput): number[];
}

/** Devices of a page that wait to be looked for: from `next` to before `end`. */
interface Waiting {
  readonly segment: number;
  readonly end: number;
  next: number;
}

/**
 * Keeps its memory from one range to the next. Devices to look for wait until there are
 * `waitingDevices` of them, for then those of many segments are looked for in one zone of the
 * table after the other, each while it is in the cache. 100 million in ranges of 500,000 take 4.6
 * seconds of one core that way, reading included, and 7.2 if each page is looked for by itself.
 */
export function createOverlapCounter(memory: TableMemory, waitingDevices: number): OverlapCounter {
  const found = new Uint32Array(maxLookups);
  let devices = new Uint32Array(0);
  let waiting = new Uint32Array(0);

  function collect(reader: SegmentReader, runs: readonly OpenRun[], range: DeviceRange): Stretches {
    devices = grown(devices, devicesWithin(runs, range) * wordsPerDevice);
    const ends: number[] = [];
    let length = 0;
    for (const run of runs) {
      walkPages(reader, { run, range }, (page, begin, end) => {
        devices.set(page.subarray(begin, end), length);
        length += end - begin;
      });
      ends.push(length);
    }
    return { devices, ends };
  }

  /** Looks for what waits, zone by zone, and adds what is there to the counts. */
  function lookUp(table: DeviceTable, queue: readonly Waiting[], counts: number[]): void {
    for (const zone of zonesOf(table)) {
      touchZone(table, zone);
      for (const stretch of queue) {
        const { segment, next, end } = stretch;
        if (next === end) continue;
        stretch.next = zoneEnd(table, waiting, next, end, zone.bound);
        if (stretch.next === next) continue;
        counts[segment]! += findHeld(table, waiting, next, stretch.next, found);
      }
    }
  }

  function countWithin(
    reader: SegmentReader,
    { of, against }: OverlapInput,
    range: DeviceRange,
    counts: number[],
  ): void {
    const set = collect(reader, of, range);
    const size = (set.ends.at(-1) ?? 0) / wordsPerDevice;
    if (size === 0) return;
    const table = tableOf(memory, devices, size);
    waiting = grown(waiting, waitingDevices * wordsPerDevice);
    let queue: Waiting[] = [];
    let used = 0;
    function makeRoom(words: number): PageRoom {
      if (used + wordsBeforePage + words > waiting.length) {
        lookUp(table, queue, counts);
        queue = [];
        used = 0;
      }
      return { words: waiting, at: used + wordsBeforePage };
    }
    for (const [segment, runs] of against.entries()) {
      for (const run of runs) {
        walkPages(reader, { run, range, lookedFor: set, makeRoom }, (_, begin, end) => {
          const at = used + wordsBeforePage;
          queue.push({ segment, next: at + begin, end: at + end });
          used = at + end;
        });
      }
    }
    lookUp(table, queue, counts);
  }

  return {
    count(reader, input) {
      const counts = input.against.map(() => 0);
      for (const range of input.ranges) countWithin(reader, input, range, counts);
      return counts;
    },
  };
}
