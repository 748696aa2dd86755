import type { DeviceRange } from '../devices/device-range.ts';
import { type TableMemory, tableOf } from '../devices/device-table.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { grown } from '../devices/grow-array.ts';
import type { OpenRun } from '../file/readable-run.ts';
import type { SegmentReader } from '../file/page-reader.ts';
import { devicesWithin, type Stretches, walkPages } from '../file/walk-pages.ts';
import { createLookupQueue } from './lookup-queue.ts';

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

/** Keeps its memory from one range to the next. */
export function createOverlapCounter(memory: TableMemory): OverlapCounter {
  const queue = createLookupQueue();
  let devices = new Uint32Array(0);

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

  function countWithin(
    reader: SegmentReader,
    { of, against }: OverlapInput,
    range: DeviceRange,
    counts: Uint32Array,
  ): void {
    const set = collect(reader, of, range);
    const size = (set.ends.at(-1) ?? 0) / wordsPerDevice;
    if (size === 0) return;
    queue.begin(tableOf(memory, devices, size), counts);
    for (const [segment, runs] of against.entries()) {
      for (const run of runs) {
        walkPages(reader, { run, range, lookedFor: set }, (page, begin, end) =>
          queue.add(segment, page, begin, end),
        );
      }
    }
    queue.finish();
  }

  return {
    count(reader, input) {
      const counts = new Uint32Array(input.against.length);
      for (const range of input.ranges) countWithin(reader, input, range, counts);
      return [...counts];
    },
  };
}
