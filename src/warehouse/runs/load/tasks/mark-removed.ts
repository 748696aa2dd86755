import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import { grown } from '../../devices/grow-array.ts';
import type { OpenRun } from '../../file/readable-run.ts';
import type { SegmentReader } from '../../file/page-reader.ts';
import { type Extents, type Room, readExtents, wordsPerExtent } from '../memory/slots.ts';
import { markShared, visitPages } from './subtract.ts';

/** Pages of a run, and what its segment loses unless it also gets it. */
export interface LosingPages {
  readonly run: OpenRun;
  readonly firstPage: number;
  readonly pages: number;
  readonly removed: Extents;
  readonly added: Extents;
}

export interface Removals {
  readonly room: Room;
  /** What all segments lose. */
  readonly removedFromAll: Extents;
  readonly items: readonly LosingPages[];
}

/** A page that may hold something that is lost, and for each of its devices whether it is. */
interface MarkedPage {
  readonly devices: Uint32Array;
  readonly isLost: Uint8Array;
}

/** By number, all pages of an item in which a removed device falls. */
export type MarkedPages = ReadonlyMap<number, MarkedPage>;

/** 1 MiB of a list at a time: a list may be larger than memory. */
const wordsAtOnce = 256 * 1024;

/**
 * Goes through lists of removed devices once for many runs, each of which may be far smaller or far
 * larger than they are. What comes of it is good until the next call.
 */
export function createLossMarker(reader: SegmentReader) {
  let listed = new Uint32Array(0);
  let pageMemory = new Uint32Array(0);
  let marks = new Uint8Array(0);
  let used = 0;

  function readPage(run: OpenRun, page: number): MarkedPage {
    const read = reader.readPage(run, page);
    const devices = pageMemory.subarray(used, used + read.length);
    devices.set(read);
    const isLost = marks.subarray(used / wordsPerDevice, (used + read.length) / wordsPerDevice);
    isLost.fill(0);
    used += read.length;
    return { devices, isLost };
  }

  /** Only removals have pages read; what is added to others matters to nobody. */
  function mark(
    item: LosingPages,
    known: Map<number, MarkedPage>,
    list: Uint32Array,
    isLost: boolean,
  ) {
    const { run, firstPage, pages } = item;
    visitPages(list, run.index, firstPage, firstPage + pages, (from, to, page) => {
      if (page === null) return;
      let marked = known.get(page);
      if (!marked && isLost) {
        marked = readPage(run, page);
        known.set(page, marked);
      }
      if (marked) {
        markShared(marked.devices, marked.isLost, list.subarray(from, to), isLost ? 1 : 0);
      }
    });
  }

  function* inStretches(room: Room, extents: Extents): Iterable<Uint32Array> {
    listed = grown(listed, wordsAtOnce + room.slotWords);
    for (let from = 0; from < extents.length; ) {
      let words = 0;
      let to = from;
      for (; to < extents.length && words < wordsAtOnce; to += wordsPerExtent) {
        words += extents[to + 2]!;
      }
      readExtents(room, extents.subarray(from, to), listed, 0);
      yield listed.subarray(0, words);
      from = to;
    }
  }

  return {
    /** For each item, the pages that may lose something. */
    markLost({ room, removedFromAll, items }: Removals): MarkedPages[] {
      const devices = items.reduce((sum, item) => sum + countDevices(item), 0);
      pageMemory = grown(pageMemory, devices * wordsPerDevice);
      if (marks.length < devices) marks = new Uint8Array(devices);
      used = 0;
      const marked = items.map(() => new Map<number, MarkedPage>());
      for (const list of inStretches(room, removedFromAll)) {
        for (const [i, item] of items.entries()) mark(item, marked[i]!, list, true);
      }
      for (const [i, item] of items.entries()) {
        for (const list of inStretches(room, item.removed)) mark(item, marked[i]!, list, true);
        if (marked[i]!.size === 0) continue;
        for (const list of inStretches(room, item.added)) mark(item, marked[i]!, list, false);
      }
      return marked;
    },
  };
}

export function countDevices({
  run: { index },
  firstPage,
  pages,
}: Pick<LosingPages, 'run' | 'firstPage' | 'pages'>): number {
  let devices = 0;
  for (let page = firstPage; page < firstPage + pages; page++) devices += index.devices[page]!;
  return devices;
}

/** What is not lost; moved to the front of the same memory. */
export function keptOf({ devices, isLost }: MarkedPage): Uint32Array {
  let end = 0;
  for (let at = 0; at < devices.length; at += wordsPerDevice) {
    if (isLost[at / wordsPerDevice] !== 0) continue;
    devices.copyWithin(end, at, at + wordsPerDevice);
    end += wordsPerDevice;
  }
  return devices.subarray(0, end);
}
