import type { OpenRun } from '../file/readable-run.ts';
import { indexAt } from '../file/page-index.ts';

/**
 * Runs as they are sent to threads. It takes 40 ms to tell a thread of 10,000 runs as objects, again
 * and again, in which this one does nothing else; and no time to tell it of shared memory.
 */
export interface RunList {
  readonly files: readonly Pick<OpenRun, 'fd' | 'path' | 'file'>[];
  readonly memories: readonly ArrayBufferLike[];
  /** Of those runs that have several row groups, where these begin. */
  readonly rowGroupStarts: readonly (readonly number[])[];
  readonly numbers: Float64Array;
}

const numbersPerRun = 6;
const onlyRowGroup: readonly number[] = [0];

export function listRuns(runs: readonly OpenRun[]): RunList {
  const files = new Map<string, { number: number } & RunList['files'][number]>();
  const memories = new Map<ArrayBufferLike, number>();
  const rowGroupStarts: (readonly number[])[] = [onlyRowGroup];
  const bytes = runs.length * numbersPerRun * Float64Array.BYTES_PER_ELEMENT;
  const numbers = new Float64Array(new SharedArrayBuffer(bytes));
  for (const [i, { fd, path, file, firstRowGroup, index }] of runs.entries()) {
    // The same file may be held twice, by who opened it twice.
    const key = `${fd} ${path}`;
    const known = files.get(key) ?? { number: files.size, fd, path, file };
    files.set(key, known);
    const { buffer, byteOffset } = index.offsets;
    const memory = memories.get(buffer) ?? memories.size;
    memories.set(buffer, memory);
    const starts = index.rowGroupStarts.length === 1 ? 0 : rowGroupStarts.length;
    if (starts > 0) rowGroupStarts.push(index.rowGroupStarts);
    const at = i * numbersPerRun;
    numbers[at] = known.number;
    numbers[at + 1] = firstRowGroup;
    numbers[at + 2] = memory;
    numbers[at + 3] = byteOffset;
    numbers[at + 4] = index.pages;
    numbers[at + 5] = starts;
  }
  return { files: [...files.values()], memories: [...memories.keys()], rowGroupStarts, numbers };
}

export function runsIn({ files, memories, rowGroupStarts, numbers }: RunList): OpenRun[] {
  const runs: OpenRun[] = [];
  for (let at = 0; at < numbers.length; at += numbersPerRun) {
    const { fd, path, file } = files[numbers[at]!]!;
    const firstRowGroup = numbers[at + 1]!;
    const starts = rowGroupStarts[numbers[at + 5]!]!;
    const memory = memories[numbers[at + 2]!]!;
    const index = indexAt(memory, numbers[at + 3]!, numbers[at + 4]!, starts);
    runs.push({ fd, path, file, firstRowGroup, index });
  }
  return runs;
}
