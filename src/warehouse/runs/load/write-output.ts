import type { InOrder } from './run-on-threads.ts';
import type { SortContext, StageContext } from './stage-context.ts';
import type { EncodedSegments } from './tasks/part-tasks.ts';

/** The output of a task, which stays on its thread until its place in the file is known. */
export interface PendingOutput {
  /** Its id on the thread. */
  readonly output: number;
  /**
   * Reserves `bytes` of the file in the order of the tasks, calls `addPages` with their offset, and
   * makes the thread write its pages there and its lists to `slots`.
   */
  write(bytes: number, addPages: (offset: number) => void, slots?: Int32Array): Promise<void>;
}

/** Discards the output on its thread if `work` fails. */
export async function withOutput(
  { threads: { pool, nextId }, scratch, file, checkSpace }: SortContext,
  thread: number,
  inOrder: InOrder,
  work: (pending: PendingOutput) => Promise<void>,
): Promise<void> {
  const output = nextId();
  try {
    await work({
      output,
      async write(bytes, addPages, slots = new Int32Array(0)) {
        await checkSpace(bytes + slots.length * scratch.slotWords * Uint32Array.BYTES_PER_ELEMENT);
        const offset = await inOrder(() => {
          const begin = file?.reserve(bytes) ?? 0;
          addPages(begin);
          return begin;
        });
        const fd = file && bytes > 0 ? await file.fd() : -1;
        const input = { scratch: scratch.handle(), output, fd, offset, slots };
        await pool.run('writeOutput', input, { thread });
      },
    });
  } catch (error) {
    await pool.run('discardOutput', { output }, { thread }).catch(() => {});
    throw error;
  }
}

/** Writes the pages of each item. `endsRun` returns the segment whose run the item ends, or null. */
export function writeSegmentPages(
  { file }: StageContext,
  pending: PendingOutput,
  { tables, bytes }: EncodedSegments,
  endsRun: (item: number) => number | null,
): Promise<void> {
  return pending.write(bytes, (offset) => {
    for (const [item, table] of tables.entries()) {
      file.add(table, offset);
      const segmentId = endsRun(item);
      if (segmentId !== null) file.endRun(segmentId);
    }
  });
}
