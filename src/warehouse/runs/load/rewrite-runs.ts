import { wordsPerDevice } from '../../../domain/row-batch.ts';
import type { Run } from '../../../records/warehouse/manifest.ts';
import type { OpenRun } from '../file/readable-run.ts';
import { wordsPerSpan } from '../file/page-index.ts';
import { devicesPerPage } from '../file/run-file-format.ts';
import type { HeldRun } from '../file/run-opener.ts';
import { removalsFromAll, removalsOf } from './tasks/collect-lists.ts';
import { countDevices, type Removals } from './tasks/mark-removed.ts';
import { shareOut } from './run-on-threads.ts';
import type { StageContext } from './stage-context.ts';
import type { StoredLists } from './list-store.ts';
import { keepSegments } from './write-segments.ts';

/** Half a row group's worth, 8 MiB: what a task may have in memory. */
const pagesPerTask = 128;
const devicesPerTask = pagesPerTask * devicesPerPage;

/** Consecutive pages of a run. */
interface RunStretch {
  readonly held: HeldRun;
  /** That of its segment. */
  readonly number: number;
  readonly run: OpenRun;
  readonly firstPage: number;
  readonly pages: number;
  readonly isLast: boolean;
}

/**
 * Writes anew, without what rows remove, the runs that hold some of it: those runs, which are to be
 * dropped. What a row also adds stays where it is, for removals apply first.
 */
export async function rewriteRuns(
  stage: StageContext,
  stored: StoredLists,
  bySegment: ReadonlyMap<number, readonly HeldRun[]>,
): Promise<Run[]> {
  if (!stored.lists.removals) return [];
  const { threads, room, meaning, signal } = stage;
  const all = meaning.segmentIds.flatMap((segmentId, number) =>
    (bySegment.get(segmentId) ?? []).flatMap((held) => [...stretches(number, held)]),
  );
  const losing = new Set<HeldRun>();
  await shareOut(tasksOf(all), threads.pool.size, signal, async (items, thread) => {
    const input = { room: room.handle(), ...removalsFor(stored, items) };
    const found = await threads.pool.run('findLosses', input, { thread });
    for (const [i, { held }] of items.entries()) if (found[i]) losing.add(held);
  });
  const jobs = tasksOf(all.filter(({ held }) => losing.has(held)));
  await shareOut(jobs, threads.pool.size, signal, async (items, thread, inTurn) => {
    const output = threads.nextName();
    const input = { room: room.handle(), output, ...removalsFor(stored, items) };
    const laidOut = () => threads.pool.run('layOutRest', input, { thread });
    await keepSegments(stage, { output, thread, inTurn, laidOut }, (item) => {
      const { held, isLast } = items[item]!;
      return isLast ? held.run.segmentId : null;
    });
  });
  return [...losing].map(({ run }) => run);
}

function* stretches(number: number, held: HeldRun): Iterable<RunStretch> {
  const { open: run } = held;
  for (let firstPage = 0; firstPage < run.index.pages; firstPage += pagesPerTask) {
    const pages = Math.min(pagesPerTask, run.index.pages - firstPage);
    const isLast = firstPage + pages === run.index.pages;
    yield { held, number, run, firstPage, pages, isLast };
  }
}

/** The stretches with what of the lists may concern them. */
function removalsFor(
  stored: StoredLists,
  items: readonly RunStretch[],
): Pick<Removals, 'removedFromAll' | 'items'> {
  const { lists } = stored;
  let first = stored.pieces;
  let last = 0;
  const concerned = items.map(({ number, run, firstPage, pages }) => {
    const { from, to } = stored.piecesWithin(...spanOf(run, firstPage, pages));
    first = Math.min(first, from);
    last = Math.max(last, to);
    const removed = stored.extents(removalsOf(number, lists), from, to);
    return { run, firstPage, pages, removed, added: stored.extents(number, from, to) };
  });
  const removedFromAll = stored.extents(removalsFromAll(lists), first, last);
  return { removedFromAll, items: concerned };
}

function spanOf({ index }: OpenRun, firstPage: number, pages: number): [Uint32Array, Uint32Array] {
  const begin = firstPage * wordsPerSpan;
  const end = (firstPage + pages) * wordsPerSpan;
  return [
    index.spans.subarray(begin, begin + wordsPerDevice),
    index.spans.subarray(end - wordsPerDevice, end),
  ];
}

/** Many small runs share a task, for which the lists are then read once. */
function* tasksOf(stretches: readonly RunStretch[]): Iterable<readonly RunStretch[]> {
  let task: RunStretch[] = [];
  let total = 0;
  for (const stretch of stretches) {
    const devices = countDevices(stretch);
    if (task.length > 0 && total + devices > devicesPerTask) {
      yield task;
      task = [];
      total = 0;
    }
    task.push(stretch);
    total += devices;
  }
  if (task.length > 0) yield task;
}
