import type { DeviceRange } from '../devices/device-range.ts';
import { type TableMemory, tableOf } from '../devices/device-table.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { growArray } from '../devices/grow-array.ts';
import type { PageReader } from '../file/page-reader.ts';
import type { ReadableRun } from '../file/readable-run.ts';
import { collectDevices, devicesWithin, walkPages } from '../file/walk-pages.ts';
import { createLookupQueue } from './lookup-queue.ts';

interface OverlapInput {
  readonly of: readonly ReadableRun[];
  /** The runs of each segment. */
  readonly against: readonly (readonly ReadableRun[])[];
  readonly ranges: readonly DeviceRange[];
}

/** Counts, within ranges, how many devices of a set each segment holds. */
export interface OverlapCounter {
  count(reader: PageReader, input: OverlapInput): number[];
}

/** Reuses its memory from range to range. */
export function createOverlapCounter(memory: TableMemory): OverlapCounter {
  const queue = createLookupQueue();
  let devices = new Uint32Array(0);

  function countWithin(
    reader: PageReader,
    { of, against }: OverlapInput,
    range: DeviceRange,
    counts: Uint32Array,
  ): void {
    devices = growArray(devices, devicesWithin(of, range) * wordsPerDevice);
    const set = collectDevices(reader, of, range, devices);
    const size = (set.ends.at(-1) ?? 0) / wordsPerDevice;
    if (size === 0) return;
    queue.begin(tableOf(memory, devices, size), counts);
    for (const [segment, runs] of against.entries()) {
      for (const run of runs) {
        walkPages(reader, { run, range, wanted: set }, (page, begin, end) =>
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
