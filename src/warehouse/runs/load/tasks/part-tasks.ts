import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import { createRowSorter } from '../../devices/sort-rows.ts';
import { fillDigestTable } from '../../digests/digest-table.ts';
import type { TableToFill } from '../../digests/digest-tables.ts';
import { writeFully } from '../../file/file-io.ts';
import { readPackedIndexes } from '../../file/packed-indexes.ts';
import { closeAfterEach, createPageReader } from '../../file/page-reader.ts';
import type { PageTable } from '../../file/page-table.ts';
import type { ReadableRun } from '../../file/readable-run.ts';
import { encodeFooter, type WrittenRowGroup } from '../../file/run-file-format.ts';
import {
  createChunkReader,
  createExtentReader,
  type Extents,
  type ScratchHandle,
  writeSlot,
} from '../memory/slots.ts';
import { createBucketing } from './buckets.ts';
import { createListCollector, type ListLayout } from './collect-lists.ts';
import { createRemovalMarker, type Removals, remainingDevices } from './mark-removed.ts';
import { createSuppressionMarker, type ReadableSuppression } from './mark-suppressed.ts';
import { subtractRun } from './subtract.ts';
import { createTaskOutputs } from './task-outputs.ts';

/** Rows of a part: either in extents or, if not null, in `rows`. */
interface PartRows {
  readonly extents: Extents;
  readonly rows: Uint32Array | null;
}

export interface SortParts {
  readonly scratch: ScratchHandle;
  readonly output: number;
  readonly parts: readonly PartRows[];
  /** No row has a list. */
  readonly areShort: boolean;
  readonly lists: ListLayout;
  /** The runs of the segment that gets every row, or null if there is no such segment. */
  readonly everyRow: readonly ReadableRun[] | null;
  /** Devices to leave out; null if there are none. */
  readonly suppression: ReadableSuppression | null;
}

/** Devices that are suppressed, and the lists that they were on. */
export interface LeftOut {
  readonly devices: number;
  readonly lists: readonly number[];
}

const nothing: LeftOut = { devices: 0, lists: [] };

export interface SortedParts {
  readonly devices: number;
  readonly suppressed: LeftOut;
  /** The first and the last device. */
  readonly span: Uint32Array;
  /** Pages with the new devices of the segment that gets every row. */
  readonly pages: PageTable;
  readonly bytes: number;
  /** The number of devices of each list. */
  readonly counts: Uint32Array;
}

export interface WriteOutput {
  readonly scratch: ScratchHandle;
  readonly output: number;
  readonly fd: number;
  readonly offset: number;
  /** Receive the lists, in this order. */
  readonly slots: Int32Array;
}

/** The devices that rows add to a segment, and the runs it already has. */
export interface NewDevices {
  readonly added: Extents;
  readonly runs: readonly ReadableRun[];
}

export interface EncodedSegments {
  /** The pages of each item. Offsets are relative to the whole output. */
  readonly tables: readonly PageTable[];
  readonly bytes: number;
}

/** The tasks of a thread on whole parts and on segments. */
export function createPartTasks() {
  const outputs = createTaskOutputs();
  const bucketing = createBucketing();
  const sorter = createRowSorter();
  const collector = createListCollector();
  const reader = createPageReader();
  const marker = createRemovalMarker(reader);
  const suppressions = createSuppressionMarker(reader);
  const readChunks = createChunkReader();
  const readDevices = createExtentReader();

  return closeAfterEach(reader, {
    sortParts(input: SortParts): SortedParts {
      const { scratch, output, parts, areShort, lists, everyRow, suppression } = input;
      collector.begin(lists);
      for (const part of parts) {
        const chunks = part.rows ? [part.rows] : readChunks(scratch, part.extents);
        const { rows, positions, ends, prefix } = bucketing.divide(chunks, areShort);
        const count = ends.at(-1)!;
        collector.reserve(count, rows.length - count * wordsPerDevice);
        let from = 0;
        for (const to of ends) {
          const ofBucket = positions.subarray(from, to);
          sorter.sort(rows, ofBucket, to - from, prefix);
          collector.add(rows, ofBucket, to - from);
          from = to;
        }
      }
      const made = outputs.begin(output);
      const span = spanOf(collector.devices());
      const suppressed = suppression ? leaveOut(suppression) : nothing;
      const collected = collector.finish(made.allocateLists);
      const count = collected.devices.length / wordsPerDevice;
      if (everyRow) made.sink.add(subtractRuns(collected.added, everyRow));
      return {
        devices: count,
        suppressed,
        span,
        pages: made.sink.table(),
        bytes: made.sink.bytes,
        counts: collected.counts,
      };
    },

    /** Writes the output of an earlier task to its place. */
    writeOutput({ scratch, output, fd, offset, slots }: WriteOutput): void {
      const made = outputs.get(output);
      if (made.sink.bytes > 0) writeFully(fd, made.sink.content(), offset);
      const lists = made.lists();
      for (const [i, slot] of slots.entries()) {
        writeSlot(
          scratch,
          slot,
          lists.subarray(i * scratch.slotWords, (i + 1) * scratch.slotWords),
        );
      }
      outputs.end(output);
    },

    discardOutput({ output }: { output: number }): void {
      outputs.end(output);
    },

    encodeNew({
      scratch,
      output,
      items,
    }: {
      scratch: ScratchHandle;
      output: number;
      items: readonly NewDevices[];
    }) {
      const { sink } = outputs.begin(output);
      const tables = items.map(({ added, runs }) =>
        sink.collect(() => sink.add(subtractRuns(readDevices(scratch, added), runs))),
      );
      return { tables, bytes: sink.bytes } satisfies EncodedSegments;
    },

    /** For each item, whether its pages hold a removed device. */
    findAffectedRuns(removals: Removals): boolean[] {
      return marker
        .markRemoved(removals)
        .map((pages) => [...pages.values()].some(({ isRemoved }) => isRemoved.includes(1)));
    },

    encodeRemaining({ output, ...removals }: Removals & { output: number }) {
      const { sink } = outputs.begin(output);
      const marked = marker.markRemoved(removals);
      const tables = removals.items.map(({ run, firstPage, pages }, item) =>
        sink.collect(() => {
          for (let page = firstPage; page < firstPage + pages; page++) {
            const affected = marked[item]!.get(page);
            sink.add(affected ? remainingDevices(affected) : reader.readPage(run, page));
          }
        }),
      );
      return { tables, bytes: sink.bytes } satisfies EncodedSegments;
    },

    readIndexes: readPackedIndexes,

    fillDigestTable({ runs, table }: TableToFill): void {
      fillDigestTable(reader, runs, table);
    },

    /** Those of the ascending devices that are suppressed. */
    findSuppressed({ devices, suppression }: FindSuppressed): Uint32Array {
      const marks = suppressions.mark(devices, suppression);
      return marks ? markedDevices(devices, marks) : new Uint32Array(0);
    },

    writeFooter({ fd, rowGroups, offset }: WriteFooter): void {
      writeFully(fd, encodeFooter(rowGroups, offset), offset);
    },
  });

  function leaveOut(suppression: ReadableSuppression): LeftOut {
    const before = collector.devices().length;
    const marks = suppressions.mark(collector.devices(), suppression);
    if (!marks) return nothing;
    const losing = collector.leaveOut(marks);
    const devices = (before - collector.devices().length) / wordsPerDevice;
    return { devices, lists: [...losing] };
  }

  function subtractRuns(from: Uint32Array, runs: readonly ReadableRun[]): Uint32Array {
    return runs.reduce((left, run) => subtractRun(left, run, reader), from);
  }
}

/** The first and the last device. */
function spanOf(devices: Uint32Array): Uint32Array {
  const span = new Uint32Array(2 * wordsPerDevice);
  span.set(devices.subarray(0, wordsPerDevice));
  span.set(devices.subarray(-wordsPerDevice), wordsPerDevice);
  return span;
}

function markedDevices(devices: Uint32Array, marks: Uint8Array): Uint32Array {
  const marked: number[] = [];
  for (const [device, mark] of marks.entries()) {
    const at = device * wordsPerDevice;
    if (mark !== 0) marked.push(...devices.subarray(at, at + wordsPerDevice));
  }
  return Uint32Array.from(marked);
}

export interface FindSuppressed {
  readonly devices: Uint32Array;
  readonly suppression: ReadableSuppression;
}

export interface WriteFooter {
  readonly fd: number;
  readonly rowGroups: readonly WrittenRowGroup[];
  readonly offset: number;
}
