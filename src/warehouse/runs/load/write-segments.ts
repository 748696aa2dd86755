import type { OpenRun } from '../file/readable-run.ts';
import type { LaidOutSegments, NewDevices } from './tasks/part-tasks.ts';
import { type InTurn, shareOut } from './run-on-threads.ts';
import type { StageContext } from './stage-context.ts';
import type { StoredLists } from './list-store.ts';

/** 2 MiB of devices: what a task takes on, of one segment or of many. */
const wordsPerTask = 512 * 1024;
/** To tell a thread of them takes some milliseconds, in which this one does nothing else. */
const runsPerTask = 1_000;

interface SegmentStretch extends NewDevices {
  readonly number: number;
  readonly isLast: boolean;
}

/** Writes what is new to the segments that rows name, as a run of each. */
export async function writeSegments(
  stage: StageContext,
  stored: StoredLists,
  runsOf: (number: number) => readonly OpenRun[],
): Promise<void> {
  const { threads, room, meaning, signal } = stage;
  const jobs = tasksOf(stretches(stored, runsOf));
  await shareOut(jobs, threads.pool.size, signal, async (items, thread, inTurn) => {
    const output = threads.nextName();
    const input = { room: room.handle(), output, items };
    const laidOut = () => threads.pool.run('layOutNew', input, { thread });
    await keepSegments(stage, { output, thread, inTurn, laidOut }, (item) => {
      const { number, isLast } = items[item]!;
      return isLast ? meaning.segmentIds[number]! : null;
    });
  });
}

interface SegmentTask {
  readonly output: number;
  readonly thread: number;
  readonly inTurn: InTurn;
  laidOut(): Promise<LaidOutSegments>;
}

/** Gives pages their place, in turn, and has them written. `endsRun` says whose run ends with an item. */
export async function keepSegments(
  { threads: { pool }, room, file }: StageContext,
  { output, thread, inTurn, laidOut }: SegmentTask,
  endsRun: (item: number) => number | null,
): Promise<void> {
  try {
    const { tables, bytes } = await laidOut();
    const offset = await inTurn(() => {
      const place = file.reserve(bytes);
      for (const [item, table] of tables.entries()) {
        file.add(table, place);
        const segmentId = endsRun(item);
        if (segmentId !== null) file.endRun(segmentId);
      }
      return place;
    });
    const fd = bytes > 0 ? await file.fd() : -1;
    const kept = { room: room.handle(), output, fd, offset, slots: new Int32Array(0) };
    await pool.run('keepOutput', kept, { thread });
  } catch (error) {
    await pool.run('forgetOutput', { output }, { thread }).catch(() => {});
    throw error;
  }
}

/** Each segment's devices, in stretches of as many pieces as a task can take on. */
function* stretches(
  stored: StoredLists,
  runsOf: (number: number) => readonly OpenRun[],
): Iterable<{ stretch: SegmentStretch; words: number }> {
  for (let number = 0; number < stored.lists.segments; number++) {
    if (stored.isEmpty(number)) continue;
    const runs = runsOf(number);
    for (let from = 0; from < stored.pieces; ) {
      let words = stored.words(number, from);
      let to = from + 1;
      while (to < stored.pieces && words + stored.words(number, to) <= wordsPerTask) {
        words += stored.words(number, to++);
      }
      const added = stored.extents(number, from, to);
      yield { stretch: { number, added, runs, isLast: to === stored.pieces }, words };
      from = to;
    }
  }
}

function* tasksOf(
  stretches: Iterable<{ stretch: SegmentStretch; words: number }>,
): Iterable<readonly SegmentStretch[]> {
  let task: SegmentStretch[] = [];
  let total = 0;
  let runs = 0;
  for (const { stretch, words } of stretches) {
    if (task.length > 0 && (total + words > wordsPerTask || runs >= runsPerTask)) {
      yield task;
      task = [];
      total = 0;
      runs = 0;
    }
    task.push(stretch);
    total += words;
    // One without any run has its message and its answer all the same.
    runs += 1 + stretch.runs.length;
  }
  if (task.length > 0) yield task;
}
