import { createThreadPool } from '../../threads/thread-pool.ts';
import { compressionAdvice } from '../report/advice.ts';
import { ContentFault } from './content-fault.ts';
import type { Inflated, InflaterTasks } from './inflater.ts';
import type { PrefetchedSource } from './prefetch-source.ts';
import type { FileBuffers } from './read-ahead.ts';

/** Inflates gzip in separate threads, because it is the slowest step of a gzip file. */
export interface Inflaters extends AsyncDisposable {
  /** The inflated bytes. Each piece is valid until the next one is requested. */
  inflate(source: PrefetchedSource, buffers: FileBuffers): AsyncGenerator<Uint8Array>;
}

/** Text shrinks to a third or a half, so a step usually consumes its whole input. */
const inputBytes = 1 << 19;
const outputBytes = 1 << 21;
/**
 * Queued steps per file, so that a thread is never idle while a result is taken. A file that is read
 * before its turn has one, because it holds memory, and the threads have other files.
 */
const stepsAhead = 3;

interface Step {
  readonly output: SharedArrayBuffer;
  readonly inflated: Promise<Inflated>;
}

export function createInflaters(threads: number): Inflaters {
  const program = new URL('./inflater-thread.ts', import.meta.url);
  const pool = createThreadPool<InflaterTasks>(program, threads);
  const filesOn = new Array<number>(threads).fill(0);
  let files = 0;

  async function* inflate(
    source: PrefetchedSource,
    buffers: FileBuffers,
  ): AsyncGenerator<Uint8Array> {
    const file = files++;
    const thread = filesOn.indexOf(Math.min(...filesOn));
    const readInput = createInputReader(source, buffers);
    /** Inputs that may still be in use. */
    const inputs: SharedArrayBuffer[] = [];
    const steps: Step[] = [];
    let isFirst = true;
    let isLast = false;

    async function begin(): Promise<void> {
      // If earlier inputs expand a lot, they wait in the thread and no more is needed yet.
      const input = isLast || inputs.length >= stepsAhead ? null : await readInput();
      if (input) inputs.push(input.buffer);
      else if (inputs.length < stepsAhead) isLast = true;
      const output = await buffers.take(outputBytes);
      const inflated = pool.run('inflate', { file, isFirst, input, isLast, output }, { thread });
      // Awaited later; until then an error must not count as unhandled.
      inflated.catch(() => {});
      isFirst = false;
      steps.push({ output, inflated });
    }

    filesOn[thread]!++;
    try {
      for (;;) {
        while (steps.length < (buffers.isAhead ? 1 : stepsAhead)) await begin();
        const { output, inflated } = steps[0]!;
        const { bytes, usedUp, state } = await inflated;
        for (const used of inputs.splice(0, usedUp)) buffers.giveBack(used);
        if (bytes > 0) yield new Uint8Array(output, 0, bytes);
        if (state === 'damaged') {
          throw new ContentFault('bad_compression', compressionAdvice.damaged);
        }
        if (state === 'done') return;
        steps.shift();
        buffers.giveBack(output);
      }
    } finally {
      await Promise.allSettled(steps.map(({ inflated }) => inflated));
      await pool.run('forgetFile', { file }, { thread }).catch(() => {});
      for (const { output } of steps) buffers.giveBack(output);
      for (const input of inputs) buffers.giveBack(input);
      filesOn[thread]!--;
    }
  }

  return {
    inflate,
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** Reads a source into shared buffers of a fixed size; null at its end. */
function createInputReader(source: PrefetchedSource, buffers: FileBuffers) {
  let rest: Uint8Array = new Uint8Array();

  return async (): Promise<Uint8Array<SharedArrayBuffer> | null> => {
    const gathered = new Uint8Array(await buffers.take(inputBytes), 0, inputBytes);
    let filled = 0;
    try {
      while (filled < inputBytes) {
        if (rest.length === 0) {
          const chunk = await source.next();
          if (!chunk) break;
          rest = chunk;
        }
        const part = rest.subarray(0, inputBytes - filled);
        gathered.set(part, filled);
        filled += part.length;
        rest = rest.subarray(part.length);
      }
    } catch (error) {
      buffers.giveBack(gathered.buffer);
      throw error;
    }
    if (filled > 0) return gathered.subarray(0, filled);
    buffers.giveBack(gathered.buffer);
    return null;
  };
}
