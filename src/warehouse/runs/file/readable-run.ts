import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { compareDevices } from '../devices/device-words.ts';
import { type PageIndex, wordsPerSpan } from './page-index.ts';

/** A run that can be read. */
export interface OpenRun {
  /** If its file is held open, so that it can be read even after it was replaced and removed. */
  readonly fd: number | null;
  /** Where it is opened, for as long as it is being read, if not. */
  readonly path: string;
  readonly file: string;
  readonly firstRowGroup: number;
  readonly index: PageIndex;
}

/** The first page, from page `from` on, that ends at or after the device; or how many there are. */
export function pageReaching(
  index: PageIndex,
  from: number,
  devices: Uint32Array,
  at: number,
): number {
  const reaches = (page: number) =>
    compareDevices(index.spans, page * wordsPerSpan + wordsPerDevice, devices, at) >= 0;
  let low = from;
  let high = index.pages;
  // Mostly it is this one or the next.
  for (let step = 1; low + step <= high; step *= 2) {
    const page = low + step - 1;
    if (reaches(page)) {
      high = page;
      break;
    }
    low = page + 1;
  }
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reaches(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
