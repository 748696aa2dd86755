import { indexAt } from '../file/page-index.ts';
import type { ReadableRun } from '../file/readable-run.ts';

/**
 * Runs in the form in which they are sent to threads. Sending 10,000 runs as objects blocks this
 * thread for 40 ms for each task; sending shared memory takes almost no time.
 */
export interface PackedRuns {
  readonly files: readonly Pick<ReadableRun, 'fd' | 'path' | 'file'>[];
  readonly memories: readonly ArrayBufferLike[];
  /** For runs with several row groups: the first page of each. */
  readonly rowGroupStarts: readonly (readonly number[])[];
  readonly numbers: Float64Array;
}

const numbersPerRun = 6;
const onlyRowGroup: readonly number[] = [0];

export function packRuns(runs: readonly ReadableRun[]): PackedRuns {
  const files = new Map<string, { number: number } & PackedRuns['files'][number]>();
  const memories = new Map<ArrayBufferLike, number>();
  const rowGroupStarts: (readonly number[])[] = [onlyRowGroup];
  const bytes = runs.length * numbersPerRun * Float64Array.BYTES_PER_ELEMENT;
  const numbers = new Float64Array(new SharedArrayBuffer(bytes));
  for (const [i, { fd, path, file, firstRowGroup, index }] of runs.entries()) {
    // The same file may be open twice, with two descriptors.
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

export function unpackRuns({
  files,
  memories,
  rowGroupStarts,
  numbers,
}: PackedRuns): ReadableRun[] {
  const runs: ReadableRun[] = [];
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
