import { wordsPerDevice } from '../../../domain/row-batch.ts';
import type { Run } from '../../../records/warehouse/manifest.ts';
import { groupBySize } from '../../group-by-size.ts';
import { wordsPerSpan } from '../file/page-index.ts';
import type { ReadableRun } from '../file/readable-run.ts';
import { devicesPerPage } from '../file/run-file-format.ts';
import type { OpenedRun } from '../file/run-opener.ts';
import type { StoredLists } from './list-store.ts';
import { runOnThreads } from './run-on-threads.ts';
import type { StageContext } from './stage-context.ts';
import { removalsFromAll, removalsOf } from './tasks/collect-lists.ts';
import { countDevices, type Removals } from './tasks/mark-removed.ts';
import { withOutput, writeSegmentPages } from './write-output.ts';

/** 8 MiB, half a row group: the most that a task keeps in memory. */
const pagesPerTask = 128;
const devicesPerTask = pagesPerTask * devicesPerPage;

/** Consecutive pages of a run. */
interface RunSlice {
  readonly opened: OpenedRun;
  /** The number of its segment. */
  readonly number: number;
  readonly run: ReadableRun;
  readonly firstPage: number;
  readonly pages: number;
  readonly isLast: boolean;
}

/**
 * Rewrites the runs that hold removed devices, without those devices, and returns the old runs to
 * drop. Removals apply before additions, so devices that are both removed and added stay.
 */
export async function rewriteRuns(
  stage: StageContext,
  stored: StoredLists,
  bySegment: ReadonlyMap<number, readonly OpenedRun[]>,
): Promise<Run[]> {
  if (!stored.lists.removals) return [];
  const { threads, scratch, meaning, signal } = stage;
  const all = meaning.segmentIds.flatMap((segmentId, number) =>
    (bySegment.get(segmentId) ?? []).flatMap((opened) => [...slices(number, opened)]),
  );
  const affected = new Set<OpenedRun>();
  await runOnThreads(groupIntoTasks(all), threads.pool.size, signal, async (items, thread) => {
    const input = { scratch: scratch.handle(), ...removalsFor(stored, items) };
    const found = await threads.pool.run('findAffectedRuns', input, { thread });
    for (const [i, { opened }] of items.entries()) if (found[i]) affected.add(opened);
  });
  const tasks = groupIntoTasks(all.filter(({ opened }) => affected.has(opened)));
  await runOnThreads(tasks, threads.pool.size, signal, (items, thread, inOrder) =>
    withOutput(stage, thread, inOrder, async (pending) => {
      const { output } = pending;
      const input = { scratch: scratch.handle(), output, ...removalsFor(stored, items) };
      const encoded = await threads.pool.run('encodeRemaining', input, { thread });
      await writeSegmentPages(stage, pending, encoded, (item) => {
        const { opened, isLast } = items[item]!;
        return isLast ? opened.run.segmentId : null;
      });
    }),
  );
  return [...affected].map(({ run }) => run);
}

function* slices(number: number, opened: OpenedRun): Iterable<RunSlice> {
  const { open: run } = opened;
  for (let firstPage = 0; firstPage < run.index.pages; firstPage += pagesPerTask) {
    const pages = Math.min(pagesPerTask, run.index.pages - firstPage);
    const isLast = firstPage + pages === run.index.pages;
    yield { opened, number, run, firstPage, pages, isLast };
  }
}

/** The slices, with the parts of the lists that may affect them. */
function removalsFor(
  stored: StoredLists,
  items: readonly RunSlice[],
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

function spanOf(
  { index }: ReadableRun,
  firstPage: number,
  pages: number,
): [Uint32Array, Uint32Array] {
  const begin = firstPage * wordsPerSpan;
  const end = (firstPage + pages) * wordsPerSpan;
  return [
    index.spans.subarray(begin, begin + wordsPerDevice),
    index.spans.subarray(end - wordsPerDevice, end),
  ];
}

/** Many small runs share a task, which then reads the lists once. */
function groupIntoTasks(slices: readonly RunSlice[]): Iterable<readonly RunSlice[]> {
  return groupBySize(slices, countDevices, devicesPerTask);
}
