import { bisect } from '../devices/device-range.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import type { PageMemory, PageReader } from '../file/page-reader.ts';
import { pageReaching, type ReadableRun } from '../file/readable-run.ts';

/** A place in a run, which moves forward only. */
export interface RunCursor {
  readonly run: ReadableRun;
  readonly memory: PageMemory;
  /** The page in memory; -1 before the first one is read. */
  page: number;
  devices: Uint32Array;
  /** The next device, in words. At the end of the devices, the next page has not been read yet. */
  at: number;
}

export function newCursor(run: ReadableRun, memory: PageMemory): RunCursor {
  return { run, memory, page: -1, devices: new Uint32Array(0), at: 0 };
}

/** Moves to the first device that is not below the given one. False if the run has none. */
export function seek(
  cursor: RunCursor,
  reader: PageReader,
  device: Uint32Array,
  deviceAt: number,
): boolean {
  const { devices, at } = cursor;
  const end = devices.length;
  if (at < end && compareDevices(devices, end - wordsPerDevice, device, deviceAt) >= 0) {
    cursor.at = bisect(devices, at, end, wordsPerDevice, device, deviceAt);
    return true;
  }
  const { run, memory } = cursor;
  const page = pageReaching(run.index, cursor.page + 1, device, deviceAt);
  if (page >= run.index.pages) {
    cursor.at = end;
    return false;
  }
  cursor.page = page;
  cursor.devices = reader.readPage(run, page, memory);
  cursor.at = bisect(cursor.devices, 0, cursor.devices.length, wordsPerDevice, device, deviceAt);
  return true;
}
