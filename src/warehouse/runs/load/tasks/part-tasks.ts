import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import { grown } from '../../devices/grow-array.ts';
import { createRowSorter } from '../../devices/sort-rows.ts';
import { writeFully } from '../../file/file-io.ts';
import type { OpenRun } from '../../file/readable-run.ts';
import { readPackedIndexes } from '../../file/packed-indexes.ts';
import type { PageTable } from '../../file/page-table.ts';
import { type LaidOutRowGroup, layOutEnd } from '../../file/run-file-format.ts';
import { closingAfter, createSegmentReader } from '../../file/page-reader.ts';
import { createBucketing } from './buckets.ts';
import { createCollector, type Lists } from './collect-lists.ts';
import { createLossMarker, keptOf, type Removals } from './mark-removed.ts';
import {
  type Extents,
  extentWords,
  type Room,
  readExtents,
  stretchesOf,
  wordsInFile,
  writeSlot,
} from '../memory/slots.ts';
import { createOutputs } from './task-outputs.ts';
import { subtractRun } from './subtract.ts';

/** Rows of consecutive parts; `rows` are some that need no reading. */
export interface PartRows {
  readonly extents: Extents;
  readonly rows: Uint32Array | null;
}

export interface SortParts {
  readonly room: Room;
  readonly output: number;
  readonly parts: readonly PartRows[];
  /** None of the rows has a list. */
  readonly areShort: boolean;
  readonly lists: Lists;
  /** If a segment gets every row's device: the runs that it has. */
  readonly everyRow: readonly OpenRun[] | null;
}

export interface SortedParts {
  readonly devices: number;
  /** The first device and the last. */
  readonly span: Uint32Array;
  /** Of the segment that gets every row's device: pages of what is new. */
  readonly pages: PageTable;
  readonly bytes: number;
  /** How many devices each list has; they lie one list after the other. */
  readonly counts: Uint32Array;
}

export interface KeepOutput {
  readonly room: Room;
  readonly output: number;
  readonly fd: number;
  readonly offset: number;
  /** Where the lists go, in this order. */
  readonly slots: Int32Array;
}

/** What a segment gets, and the runs that it has. */
export interface NewDevices {
  readonly added: Extents;
  readonly runs: readonly OpenRun[];
}

export interface LaidOutSegments {
  /** For each of what was asked for, its pages; offsets are those within all bytes. */
  readonly tables: readonly PageTable[];
  readonly bytes: number;
}

/** What a thread does with whole parts and with segments. */
export function createPartTasks() {
  const outputs = createOutputs();
  const bucketing = createBucketing();
  const sorter = createRowSorter();
  const collector = createCollector();
  const reader = createSegmentReader();
  const marker = createLossMarker(reader);
  let readings = new Uint32Array(0);
  let devices = new Uint32Array(0);

  /** In stretches of whole rows. */
  function readRows(room: Room, { rows, extents }: PartRows): readonly Uint32Array[] {
    if (rows) return [rows];
    readings = grown(readings, wordsInFile(extents));
    return stretchesOf(room, extents, readings);
  }

  function readDevices(room: Room, extents: Extents): Uint32Array {
    const end = extentWords(extents);
    devices = grown(devices, end);
    readExtents(room, extents, devices, 0);
    return devices.subarray(0, end);
  }

  return closingAfter(reader, {
    sortParts({ room, output, parts, areShort, lists, everyRow }: SortParts): SortedParts {
      collector.begin(lists);
      for (const part of parts) {
        const buckets = bucketing.divide(readRows(room, part), areShort);
        const { rows, positions, ends, prefix } = buckets;
        const count = ends.at(-1)!;
        collector.expect(count, rows.length - count * wordsPerDevice);
        let from = 0;
        for (const to of ends) {
          const ofBucket = positions.subarray(from, to);
          sorter.sort(rows, ofBucket, to - from, prefix);
          collector.add(rows, ofBucket, to - from);
          from = to;
        }
      }
      const made = outputs.begin(output);
      const collected = collector.finish(made.makeLists);
      const span = new Uint32Array(2 * wordsPerDevice);
      span.set(collected.devices.subarray(0, wordsPerDevice));
      span.set(collected.devices.subarray(-wordsPerDevice), wordsPerDevice);
      const count = collected.devices.length / wordsPerDevice;
      if (everyRow) made.sink.add(subtractRuns(collected.added, everyRow));
      return {
        devices: count,
        span,
        pages: made.sink.table(),
        bytes: made.sink.bytes,
        counts: collected.counts,
      };
    },

    /** Writes what a task has made to where it was assigned. */
    keepOutput({ room, output, fd, offset, slots }: KeepOutput): void {
      const made = outputs.get(output);
      if (made.sink.bytes > 0) writeFully(fd, made.sink.content(), offset);
      const lists = made.lists();
      for (const [i, slot] of slots.entries()) {
        writeSlot(room, slot, lists.subarray(i * room.slotWords, (i + 1) * room.slotWords));
      }
      outputs.end(output);
    },

    forgetOutput({ output }: { output: number }): void {
      outputs.end(output);
    },

    layOutNew({
      room,
      output,
      items,
    }: {
      room: Room;
      output: number;
      items: readonly NewDevices[];
    }) {
      const { sink } = outputs.begin(output);
      const tables = items.map(({ added, runs }) =>
        sink.collect(() => sink.add(subtractRuns(readDevices(room, added), runs))),
      );
      return { tables, bytes: sink.bytes } satisfies LaidOutSegments;
    },

    /** Which of the runs hold a device that is to be lost. */
    findLosses(removals: Removals): boolean[] {
      return marker
        .markLost(removals)
        .map((pages) => [...pages.values()].some(({ isLost }) => isLost.includes(1)));
    },

    layOutRest({ output, ...removals }: Removals & { output: number }) {
      const { sink } = outputs.begin(output);
      const marked = marker.markLost(removals);
      const tables = removals.items.map(({ run, firstPage, pages }, item) =>
        sink.collect(() => {
          for (let page = firstPage; page < firstPage + pages; page++) {
            const losing = marked[item]!.get(page);
            sink.add(losing ? keptOf(losing) : reader.readPage(run, page));
          }
        }),
      );
      return { tables, bytes: sink.bytes } satisfies LaidOutSegments;
    },

    readIndexes: readPackedIndexes,

    writeEnd({ fd, rowGroups, offset }: WriteEnd): void {
      writeFully(fd, layOutEnd(rowGroups, offset), offset);
    },
  });

  function subtractRuns(from: Uint32Array, runs: readonly OpenRun[]): Uint32Array {
    return runs.reduce((left, run) => subtractRun(left, run, reader), from);
  }
}

export interface WriteEnd {
  readonly fd: number;
  readonly rowGroups: readonly LaidOutRowGroup[];
  readonly offset: number;
}
