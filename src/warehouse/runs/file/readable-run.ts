import { wordsPerDevice } from '../../../domain/row-batch.ts';
import { compareDevices } from '../devices/device-words.ts';
import { type ListIndex, type PageIndex, wordsPerSpan } from './page-index.ts';

/** Everything a thread needs to read a run. */
export interface ReadableRun {
  /** Descriptor of a file that stays open, so that the run is readable even after it is swept. */
  readonly fd: number | null;
  /** If `fd` is null, readers open the file by its path. */
  readonly path: string;
  readonly file: string;
  readonly firstRowGroup: number;
  readonly index: PageIndex;
}

/** A run whose devices have lists of numbers. */
export interface ReadableProfile extends ReadableRun {
  readonly lists: ListIndex;
}

/** The first page, starting at `from`, that ends at or after the device; or the number of pages. */
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
  // Usually it is this page or the next.
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
