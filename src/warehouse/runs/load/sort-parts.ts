import { wordsPerDevice } from '../../../domain/row-batch.ts';
import type { ReadableRun } from '../file/readable-run.ts';
import { createListStore, type StoredLists } from './list-store.ts';
import { type Part, slotsOf } from './parallel-scatter.ts';
import { runOnThreads } from './run-on-threads.ts';
import type { SortContext } from './stage-context.ts';
import { countLists, type ListLayout } from './tasks/collect-lists.ts';
import type { ReadableSuppression } from './tasks/mark-suppressed.ts';
import type { LeftOut } from './tasks/part-tasks.ts';
import { withOutput } from './write-output.ts';

/** 1 MiB: makes a call to a thread worthwhile, and the resulting pages and pieces not too small. */
const leastWordsPerTask = 256 * 1024;
/** With many lists, pieces are larger, so that the sizes of their lists take little memory. */
const wordsPerList = 64;

export interface SortedRows {
  /** Number of distinct devices in all rows, without suppressed ones. */
  readonly devices: number;
  /** The devices that were left out. */
  readonly suppressed: LeftOut;
  readonly lists: StoredLists;
}

/** The segment that gets every row, and the runs that it has. */
export interface EveryRow {
  readonly segmentId: number;
  readonly held: readonly ReadableRun[];
}

/**
 * Sorts parts on all threads. The new devices of the segment that gets every row go straight to the
 * file, if there is one. The devices of named segments are stored as lists.
 */
export async function sortParts(
  stage: SortContext & { readonly maxPartWords: number },
  { parts, areShort }: { parts: AsyncIterable<Part>; areShort: boolean },
  lists: ListLayout,
  everyRow: EveryRow | null,
  suppression: ReadableSuppression | null,
): Promise<SortedRows> {
  const { threads, scratch, file, signal } = stage;
  const { pool } = threads;
  const store = createListStore(lists, scratch.slotWords);
  const wanted = Math.max(leastWordsPerTask, countLists(lists) * wordsPerList);
  // A thread has the memory for the largest part, but not for more.
  const wordsPerTask = Math.min(wanted, Math.max(leastWordsPerTask, stage.maxPartWords));
  const tasks = groupIntoTasks(parts, wordsPerTask);
  const constant = { areShort, lists, everyRow: everyRow?.held ?? null, suppression };
  let devices = 0;
  let leftOut = 0;
  const losing = new Set<number>();
  let pieces = 0;
  await runOnThreads(tasks, pool.size, signal, (group, thread, inOrder) => {
    const piece = pieces++;
    return withOutput(stage, thread, inOrder, async ({ output, write }) => {
      const input = { scratch: scratch.handle(), output, parts: group, ...constant };
      const sorted = await pool.run('sortParts', input, { thread });
      devices += sorted.devices;
      leftOut += sorted.suppressed.devices;
      for (const list of sorted.suppressed.lists) losing.add(list);
      for (const { extents } of group) scratch.release(slotsOf(extents));
      const listed = sorted.counts.reduce((sum, count) => sum + count, 0) * wordsPerDevice;
      const slots = await scratch.takeSlots(Math.ceil(listed / scratch.slotWords));
      store.add(piece, slots, sorted.counts, sorted.span);
      await write(sorted.bytes, (offset) => file?.add(sorted.pages, offset), slots);
    });
  });
  if (everyRow) file?.endRun(everyRow.segmentId);
  return { devices, suppressed: { devices: leftOut, lists: [...losing] }, lists: store };
}

async function* groupIntoTasks(
  parts: AsyncIterable<Part>,
  wordsPerTask: number,
): AsyncGenerator<readonly Part[], void> {
  let group: Part[] = [];
  let words = 0;
  for await (const part of parts) {
    if (words > 0 && words + part.words > wordsPerTask) {
      yield group;
      group = [];
      words = 0;
    }
    group.push(part);
    words += part.words;
  }
  if (group.length > 0) yield group;
}
