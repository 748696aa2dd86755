import { wordsPerDevice } from '../../../domain/row-batch.ts';
import type { OpenRun } from '../file/readable-run.ts';
import type { Lists } from './tasks/collect-lists.ts';
import { type Part, slotsOf } from './parallel-scatter.ts';
import { shareOut } from './run-on-threads.ts';
import type { StageContext } from './stage-context.ts';
import { createListStore, type StoredLists } from './list-store.ts';

/**
 * What a task should have to do, so that calling a thread is worth it and the pages and pieces that
 * come of it are of some size: 1 MiB.
 */
const wordsPerTask = 256 * 1024;

export interface SortedRows {
  /** Distinct devices of all rows. */
  readonly devices: number;
  readonly lists: StoredLists;
}

/**
 * Sorts parts on all threads. New devices of the segment that gets every row's go straight to the
 * file; what rows name is kept, by segment, for `writeSegments`.
 */
export async function sortParts(
  { threads, room, file, meaning, signal }: StageContext,
  { parts, areShort }: { parts: AsyncIterable<Part>; areShort: boolean },
  lists: Lists,
  held: readonly OpenRun[],
): Promise<SortedRows> {
  const { pool, nextName } = threads;
  const everyRow = meaning.everyRow === null ? null : held;
  const store = createListStore(lists, room.slotWords);
  let devices = 0;
  let jobs = 0;
  await shareOut(grouped(parts), pool.size, signal, async (group, thread, inTurn) => {
    const piece = jobs++;
    const output = nextName();
    const input = { room: room.handle(), output, parts: group, areShort, lists, everyRow };
    try {
      const sorted = await pool.run('sortParts', input, { thread });
      devices += sorted.devices;
      for (const { extents } of group) room.give(slotsOf(extents));
      const listed = sorted.counts.reduce((sum, count) => sum + count, 0) * wordsPerDevice;
      const slots = await room.takeSlots(Math.ceil(listed / room.slotWords));
      store.add(piece, slots, sorted.counts, sorted.span);
      const offset = await inTurn(() => {
        const place = file.reserve(sorted.bytes);
        file.add(sorted.pages, place);
        return place;
      });
      const fd = sorted.bytes > 0 ? await file.fd() : -1;
      const kept = { room: room.handle(), output, fd, offset, slots };
      await pool.run('keepOutput', kept, { thread });
    } catch (error) {
      await pool.run('forgetOutput', { output }, { thread }).catch(() => {});
      throw error;
    }
  });
  if (meaning.everyRow !== null) file.endRun(meaning.everyRow);
  return { devices, lists: store };
}

async function* grouped(parts: AsyncIterable<Part>): AsyncGenerator<readonly Part[], void> {
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
