import { wordsPerDevice } from '../../../domain/row-batch.ts';
import type { Run } from '../../../records/manifest.ts';
import type { OpenRun } from '../open-run.ts';
import type { HeldRun } from '../run-opener.ts';
import { wordsPerSpan } from '../sets/page-index.ts';
import { removalsFromAll, removalsOf } from './collect.ts';
import type { LostDevices } from './part-tasks.ts';
import { shareOut } from './share-out.ts';
import type { Stage } from './stage.ts';
import type { StoredLists } from './stored-lists.ts';
import { keepSegments } from './write-segments.ts';

/** A row group's worth of pages, 16 MiB: what a task may have in memory. */
const pagesPerTask = 256;

interface RunStretch extends LostDevices {
  readonly held: HeldRun;
  readonly isLast: boolean;
}

/**
 * Writes anew, without what rows remove, the runs that hold some of it: those runs, which are to be
 * dropped. What a row also adds stays where it is, for removals apply first.
 */
export async function rewriteRuns(
  stage: Stage,
  stored: StoredLists,
  bySegment: ReadonlyMap<number, readonly HeldRun[]>,
): Promise<Run[]> {
  if (!stored.lists.removals) return [];
  const { threads, room, meaning, signal } = stage;
  const all = meaning.segmentIds.flatMap((segmentId, number) =>
    (bySegment.get(segmentId) ?? []).flatMap((held) => [...stretches(stored, number, held)]),
  );
  const losing = new Set<HeldRun>();
  await shareOut(tasksOf(all), threads.pool.size, signal, async (items, thread) => {
    const found = await threads.pool.run('findLosses', { room: room.handle(), items }, { thread });
    for (const [i, { held }] of items.entries()) if (found[i]) losing.add(held);
  });
  const jobs = tasksOf(all.filter(({ held }) => losing.has(held)));
  await shareOut(jobs, threads.pool.size, signal, async (items, thread, inTurn) => {
    const output = threads.nextName();
    const input = { room: room.handle(), output, items };
    const laidOut = () => threads.pool.run('layOutRest', input, { thread });
    await keepSegments(stage, { output, thread, inTurn, laidOut }, (item) => {
      const { held, isLast } = items[item]!;
      return isLast ? held.run.segmentId : null;
    });
  });
  return [...losing].map(({ run }) => run);
}

/** A run by so many pages, each with what of the lists may concern them. */
function* stretches(stored: StoredLists, number: number, held: HeldRun): Iterable<RunStretch> {
  const { open: run } = held;
  const { lists } = stored;
  for (let firstPage = 0; firstPage < run.index.pages; firstPage += pagesPerTask) {
    const pages = Math.min(pagesPerTask, run.index.pages - firstPage);
    const { first, last } = spanOf(run, firstPage, pages);
    const { from, to } = stored.piecesWithin(first, last);
    yield {
      held,
      run,
      firstPage,
      pages,
      removed: [removalsOf(number, lists), removalsFromAll(lists)].map((list) =>
        stored.extents(list, from, to),
      ),
      added: stored.extents(number, from, to),
      isLast: firstPage + pages === run.index.pages,
    };
  }
}

function spanOf({ index }: OpenRun, firstPage: number, pages: number) {
  const begin = firstPage * wordsPerSpan;
  const end = (firstPage + pages) * wordsPerSpan;
  return {
    first: index.spans.subarray(begin, begin + wordsPerDevice),
    last: index.spans.subarray(end - wordsPerDevice, end),
  };
}

function* tasksOf(stretches: readonly RunStretch[]): Iterable<readonly RunStretch[]> {
  let task: RunStretch[] = [];
  let pages = 0;
  for (const stretch of stretches) {
    if (task.length > 0 && pages + stretch.pages > pagesPerTask) {
      yield task;
      task = [];
      pages = 0;
    }
    task.push(stretch);
    pages += stretch.pages;
  }
  if (task.length > 0) yield task;
}
