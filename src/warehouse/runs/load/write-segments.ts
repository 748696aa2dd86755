import type { ReadableRun } from '../file/readable-run.ts';
import { type StoredLists, slicesOf } from './list-store.ts';
import { runOnThreads } from './run-on-threads.ts';
import type { StageContext } from './stage-context.ts';
import type { NewDevices } from './tasks/part-tasks.ts';
import { withOutput, writeSegmentPages } from './write-output.ts';

/** 2 MiB of devices in a task, of one segment or of many. */
const wordsPerTask = 512 * 1024;
/** Sending this many runs to a thread blocks this one for some milliseconds. */
const runsPerTask = 1_000;

/** Consecutive devices of one segment. */
interface SegmentSlice extends NewDevices {
  readonly number: number;
  readonly isLast: boolean;
}

/** Writes the new devices of each named segment as a run. */
export async function writeSegments(
  stage: StageContext,
  stored: StoredLists,
  runsOf: (number: number) => readonly ReadableRun[],
): Promise<void> {
  const { threads, scratch, meaning, signal } = stage;
  const tasks = groupIntoTasks(slices(stored, runsOf));
  await runOnThreads(tasks, threads.pool.size, signal, (items, thread, inOrder) =>
    withOutput(stage, thread, inOrder, async (pending) => {
      const input = { scratch: scratch.handle(), output: pending.output, items };
      const encoded = await threads.pool.run('encodeNew', input, { thread });
      await writeSegmentPages(stage, pending, encoded, (item) => {
        const { number, isLast } = items[item]!;
        return isLast ? meaning.segmentIds[number]! : null;
      });
    }),
  );
}

/** The slices of each named segment, with the runs that it has. */
function* slices(
  stored: StoredLists,
  runsOf: (number: number) => readonly ReadableRun[],
): Iterable<{ slice: SegmentSlice; words: number }> {
  let runs: readonly ReadableRun[] = [];
  let last = -1;
  for (const { list, devices, words, isLast } of slicesOf(
    stored,
    numbersOf(stored),
    wordsPerTask,
  )) {
    if (list !== last) runs = runsOf(list);
    last = list;
    yield { slice: { number: list, added: devices, runs, isLast }, words };
  }
}

function numbersOf({ lists: { segments } }: StoredLists): Iterable<number> {
  return Array(segments).keys();
}

function* groupIntoTasks(
  slices: Iterable<{ slice: SegmentSlice; words: number }>,
): Iterable<readonly SegmentSlice[]> {
  let task: SegmentSlice[] = [];
  let total = 0;
  let runs = 0;
  for (const { slice, words } of slices) {
    if (task.length > 0 && (total + words > wordsPerTask || runs >= runsPerTask)) {
      yield task;
      task = [];
      total = 0;
      runs = 0;
    }
    task.push(slice);
    total += words;
    // A slice without runs also takes space in the messages.
    runs += 1 + slice.runs.length;
  }
  if (task.length > 0) yield task;
}
