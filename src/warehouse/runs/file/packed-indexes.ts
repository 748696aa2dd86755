import { moving } from '../../../threads/serve-tasks.ts';
import { bytesOfIndex, bytesPerPage, type PageIndex } from './page-index.ts';
import { type RunPlace, readIndexes } from './read-index.ts';

/** Runs of one file whose indexes a thread is to read, as numbers, because there may be 100,000. */
export interface IndexesToRead {
  readonly fd: number;
  readonly file: string;
  /** For each run: its first row group, number of row groups and number of devices. */
  readonly places: Float64Array;
}

/** The page indexes of those runs, one after the other. */
export interface PackedIndexes {
  readonly memory: ArrayBuffer;
  /** The number of pages of each row group, run by run. */
  readonly pages: Uint32Array;
}

const numbersPerPlace = 3;

export function indexesToRead(
  fd: number,
  file: string,
  runs: readonly Omit<RunPlace, 'file'>[],
): IndexesToRead {
  const places = new Float64Array(runs.length * numbersPerPlace);
  for (const [i, { firstRowGroup, rowGroups, devices }] of runs.entries()) {
    places.set([firstRowGroup, rowGroups, devices], i * numbersPerPlace);
  }
  return { fd, file, places };
}

/** Blocks, so it runs on threads only. */
export function readPackedIndexes({ fd, file, places }: IndexesToRead): PackedIndexes {
  const runs: RunPlace[] = [];
  for (let at = 0; at < places.length; at += numbersPerPlace) {
    const [firstRowGroup, rowGroups, devices] = places.subarray(at, at + numbersPerPlace);
    runs.push({ file, firstRowGroup: firstRowGroup!, rowGroups: rowGroups!, devices: devices! });
  }
  const packed = packIndexes(readIndexes(fd, runs));
  return moving(packed, [packed.memory]);
}

function packIndexes(indexes: readonly PageIndex[]): PackedIndexes {
  const total = indexes.reduce((sum, { pages }) => sum + pages, 0);
  const memory = new Uint8Array(total * bytesPerPage);
  const pages: number[] = [];
  let at = 0;
  for (const index of indexes) {
    memory.set(bytesOfIndex(index), at);
    at += index.pages * bytesPerPage;
    const { rowGroupStarts } = index;
    for (const [group, start] of rowGroupStarts.entries()) {
      pages.push((rowGroupStarts[group + 1] ?? index.pages) - start);
    }
  }
  return { memory: memory.buffer, pages: Uint32Array.from(pages) };
}
