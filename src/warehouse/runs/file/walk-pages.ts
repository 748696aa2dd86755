import { bisect, type DeviceRange } from '../devices/device-range.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import type { OpenRun } from './readable-run.ts';
import { type PageIndex, pagesWithin, wordsPerSpan } from './page-index.ts';
import type { SegmentReader } from './page-reader.ts';

/** Devices in stretches that ascend, each from where the one before ends. */
export interface Stretches {
  readonly devices: Uint32Array;
  /** Positions of words. */
  readonly ends: readonly number[];
}

/** Past so many stretches it takes longer to look into them than to read a page. */
const maxStretches = 32;
/** With so many devices to look for in each page, there is no page without any, or hardly one. */
const plentyPerPage = 64;

/** Which pages to read of a run. */
export interface PageWalk {
  readonly run: OpenRun;
  readonly range: DeviceRange;
  /** If given, pages are passed over that can hold none of these. */
  readonly lookedFor?: Stretches;
}

/**
 * Reads the pages of a run that have to do with the range; `visit` gets where in the devices of a
 * page the range begins and ends.
 */
export function walkPages(
  reader: SegmentReader,
  { run, range, lookedFor }: PageWalk,
  visit: (devices: Uint32Array, begin: number, end: number) => void,
): void {
  const { index } = run;
  const { begin, end } = pagesWithin(index, range);
  const plenty = (end - begin) * plentyPerPage * wordsPerDevice;
  const isSparse = lookedFor !== undefined && (lookedFor.ends.at(-1) ?? 0) < plenty;
  for (let page = begin; page < end; page++) {
    if (isSparse && !mayHold(index, page, lookedFor)) continue;
    const length = index.devices[page]! * wordsPerDevice;
    const devices = reader.readPage(run, page);
    // Only the outermost pages can reach out of the range.
    const isFirst = page === begin && range.from !== null;
    const isLast = page === end - 1 && range.until !== null;
    visit(
      devices,
      isFirst ? bisect(devices, 0, length, wordsPerDevice, range.from!) : 0,
      isLast ? bisect(devices, 0, length, wordsPerDevice, range.until!) : length,
    );
  }
}

/** Whether one of the devices lies in what the page spans. */
function mayHold({ spans }: PageIndex, page: number, { devices, ends }: Stretches): boolean {
  if (ends.length > maxStretches) return true;
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

/** How many devices of the runs the pages hold that have to do with the range: no fewer than are in it. */
export function devicesWithin(runs: readonly OpenRun[], range: DeviceRange): number {
  let devices = 0;
  for (const { index } of runs) {
    const { begin, end } = pagesWithin(index, range);
    for (let page = begin; page < end; page++) devices += index.devices[page]!;
  }
  return devices;
}
