import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import { growArray } from '../../devices/grow-array.ts';
import type { PageReader } from '../../file/page-reader.ts';
import type { ReadableRun } from '../../file/readable-run.ts';
import {
  createExtentReader,
  type Extents,
  type ScratchHandle,
  wordsPerExtent,
} from '../memory/slots.ts';
import { markShared, visitPages } from './subtract.ts';

/** Pages of a run, with the devices that rows remove from its segment and add to it. */
export interface AffectedPages {
  readonly run: ReadableRun;
  readonly firstPage: number;
  readonly pages: number;
  readonly removed: Extents;
  readonly added: Extents;
}

export interface Removals {
  readonly scratch: ScratchHandle;
  /** Devices removed from all segments. */
  readonly removedFromAll: Extents;
  readonly items: readonly AffectedPages[];
}

/** A page that may hold removed devices, and for each of its devices whether it is removed. */
interface MarkedPage {
  readonly devices: Uint32Array;
  readonly isRemoved: Uint8Array;
}

/** The pages of an item whose span contains a removed device, by page number. */
export type MarkedPages = ReadonlyMap<number, MarkedPage>;

/** Reads 1 MiB of a list at a time, because a list may be larger than memory. */
const wordsAtOnce = 256 * 1024;

/**
 * Reads the lists of removed devices once for many runs, which may be far smaller or larger than the
 * lists. The result is valid until the next call.
 */
export function createRemovalMarker(reader: Pick<PageReader, 'readPage'>) {
  const readExtents = createExtentReader();
  let pageMemory = new Uint32Array(0);
  let marks = new Uint8Array(0);
  let used = 0;

  function readPage(run: ReadableRun, page: number): MarkedPage {
    const read = reader.readPage(run, page);
    const devices = pageMemory.subarray(used, used + read.length);
    devices.set(read);
    const isRemoved = marks.subarray(used / wordsPerDevice, (used + read.length) / wordsPerDevice);
    isRemoved.fill(0);
    used += read.length;
    return { devices, isRemoved };
  }

  /** Only removals make it read a page. Additions matter only for pages already read. */
  function mark(
    item: AffectedPages,
    known: Map<number, MarkedPage>,
    list: Uint32Array,
    isRemoved: boolean,
  ) {
    const { run, firstPage, pages } = item;
    visitPages(list, run.index, firstPage, firstPage + pages, (from, to, page) => {
      if (page === null) return;
      let marked = known.get(page);
      if (!marked && isRemoved) {
        marked = readPage(run, page);
        known.set(page, marked);
      }
      if (marked) {
        markShared(marked.devices, marked.isRemoved, list.subarray(from, to), isRemoved ? 1 : 0);
      }
    });
  }

  function* inChunks(scratch: ScratchHandle, extents: Extents): Iterable<Uint32Array> {
    for (let from = 0; from < extents.length; ) {
      let words = 0;
      let to = from;
      for (; to < extents.length && words < wordsAtOnce; to += wordsPerExtent) {
        words += extents[to + 2]!;
      }
      yield readExtents(scratch, extents.subarray(from, to));
      from = to;
    }
  }

  return {
    /** For each item, the pages that may hold removed devices. */
    markRemoved({ scratch, removedFromAll, items }: Removals): MarkedPages[] {
      const devices = items.reduce((sum, item) => sum + countDevices(item), 0);
      pageMemory = growArray(pageMemory, devices * wordsPerDevice);
      if (marks.length < devices) marks = new Uint8Array(devices);
      used = 0;
      const marked = items.map(() => new Map<number, MarkedPage>());
      for (const list of inChunks(scratch, removedFromAll)) {
        for (const [i, item] of items.entries()) mark(item, marked[i]!, list, true);
      }
      for (const [i, item] of items.entries()) {
        for (const list of inChunks(scratch, item.removed)) mark(item, marked[i]!, list, true);
        if (marked[i]!.size === 0) continue;
        for (const list of inChunks(scratch, item.added)) mark(item, marked[i]!, list, false);
      }
      return marked;
    },
  };
}

export function countDevices({
  run: { index },
  firstPage,
  pages,
}: Pick<AffectedPages, 'run' | 'firstPage' | 'pages'>): number {
  let devices = 0;
  for (let page = firstPage; page < firstPage + pages; page++) devices += index.devices[page]!;
  return devices;
}

/** The devices that are not removed, moved to the front of the same memory. */
export function remainingDevices({ devices, isRemoved }: MarkedPage): Uint32Array {
  let end = 0;
  for (let at = 0; at < devices.length; at += wordsPerDevice) {
    if (isRemoved[at / wordsPerDevice] !== 0) continue;
    devices.copyWithin(end, at, at + wordsPerDevice);
    end += wordsPerDevice;
  }
  return devices.subarray(0, end);
}
