import { bisect, type DeviceRange } from '../devices/device-range.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import { type PageIndex, pagesWithin, wordsPerSpan } from './page-index.ts';
import type { PageReader } from './page-reader.ts';
import type { ReadableRun } from './readable-run.ts';

/** Devices in consecutive chunks, each of which ascends. */
export interface SortedChunks {
  readonly devices: Uint32Array;
  /** Where each chunk ends, in words. */
  readonly ends: readonly number[];
}

/** With more chunks than this, searching them takes longer than reading a page. */
const maxChunks = 32;
/** With this many wanted devices per page, hardly any page can be skipped. */
const plentyPerPage = 64;

/** Which pages to read of a run. */
export interface PageWalk {
  readonly run: ReadableRun;
  readonly range: DeviceRange;
  /** If given, pages that cannot hold any of these devices are skipped. */
  readonly wanted?: SortedChunks;
}

/** Reads the pages of a run that intersect the range. `visit` gets the part of a page in the range. */
export function walkPages(
  reader: Pick<PageReader, 'readPage'>,
  { run, range, wanted }: PageWalk,
  visit: (devices: Uint32Array, begin: number, end: number) => void,
): void {
  const { index } = run;
  const { begin, end } = pagesWithin(index, range);
  const plenty = (end - begin) * plentyPerPage * wordsPerDevice;
  const isSparse = wanted !== undefined && (wanted.ends.at(-1) ?? 0) < plenty;
  for (let page = begin; page < end; page++) {
    if (isSparse && !mayHold(index, page, wanted)) continue;
    const length = index.devices[page]! * wordsPerDevice;
    const devices = reader.readPage(run, page);
    // Only the first and the last page can cross a bound of the range.
    const isFirst = page === begin && range.from !== null;
    const isLast = page === end - 1 && range.until !== null;
    visit(
      devices,
      isFirst ? bisect(devices, 0, length, wordsPerDevice, range.from!) : 0,
      isLast ? bisect(devices, 0, length, wordsPerDevice, range.until!) : length,
    );
  }
}

/** Whether one of the devices is between the first and the last device of the page. */
export function mayHold(
  { spans }: PageIndex,
  page: number,
  { devices, ends }: SortedChunks,
): boolean {
  if (ends.length > maxChunks) return true;
  const first = page * wordsPerSpan;
  const last = first + wordsPerDevice;
  let begin = 0;
  for (const end of ends) {
    const at = bisect(devices, begin, end, wordsPerDevice, spans, first);
    if (at < end && compareDevices(devices, at, spans, last) <= 0) return true;
    begin = end;
  }
  return false;
}

/** The number of devices in pages that intersect the range: an upper bound for those in the range. */
export function devicesWithin(runs: readonly ReadableRun[], range: DeviceRange): number {
  let devices = 0;
  for (const { index } of runs) {
    const { begin, end } = pagesWithin(index, range);
    for (let page = begin; page < end; page++) devices += index.devices[page]!;
  }
  return devices;
}

/** Reads the devices of the runs in the range into `memory`, which has space for `devicesWithin`. */
export function collectDevices(
  reader: Pick<PageReader, 'readPage'>,
  runs: readonly ReadableRun[],
  range: DeviceRange,
  memory: Uint32Array,
): SortedChunks {
  const ends: number[] = [];
  let length = 0;
  for (const run of runs) {
    walkPages(reader, { run, range }, (page, begin, end) => {
      memory.set(page.subarray(begin, end), length);
      length += end - begin;
    });
    ends.push(length);
  }
  return { devices: memory, ends };
}
