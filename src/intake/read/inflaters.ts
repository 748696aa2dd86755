import { createThreadPool } from '../../threads/thread-pool.ts';
import { compressionAdvice } from '../report/advice.ts';
import { ContentFault } from './content-fault.ts';
import type { Inflated, InflaterTasks } from './inflater.ts';
import type { PrefetchedSource } from './prefetch-source.ts';
import type { SharedBuffers } from './shared-buffers.ts';

/** Inflates gzip in threads of its own: it is what everything else about such a file waits for. */
export interface Inflaters extends AsyncDisposable {
  /** What gzip held, in pieces that are good until the next one is asked for. */
  inflate(source: PrefetchedSource): AsyncGenerator<Uint8Array>;
}

/** Text becomes about a third or a half of its size, so that a step mostly uses up its input. */
const inputBytes = 1 << 19;
const outputBytes = 1 << 21;
/** A thread always has another step to go on with while the last one is taken. */
const stepsAhead = 3;

interface Step {
  readonly output: SharedArrayBuffer;
  readonly inflated: Promise<Inflated>;
}

export function createInflaters(threads: number, buffers: SharedBuffers): Inflaters {
  const program = new URL('./inflater-thread.ts', import.meta.url);
  const pool = createThreadPool<InflaterTasks>(program, threads);
  const filesOn = new Array<number>(threads).fill(0);
  let files = 0;

  async function* inflate(source: PrefetchedSource): AsyncGenerator<Uint8Array> {
    const file = files++;
    const thread = filesOn.indexOf(Math.min(...filesOn));
    const read = createGathering(source, buffers);
    /** Those that may not be used up yet. */
    const inputs: SharedArrayBuffer[] = [];
    const steps: Step[] = [];
    let isFirst = true;
    let isLast = false;

    async function begin(): Promise<void> {
      // Input that inflates to much waits there: then there is no need for more yet.
      const input = isLast || inputs.length >= stepsAhead ? null : await read();
      if (input) inputs.push(input.buffer);
      else if (inputs.length < stepsAhead) isLast = true;
      const output = buffers.take(outputBytes);
      const inflated = pool.run('inflate', { file, isFirst, input, isLast, output }, { thread });
      // It is awaited when its turn comes; until then a failure waits, too.
      inflated.catch(() => {});
      isFirst = false;
      steps.push({ output, inflated });
    }

    filesOn[thread]!++;
    try {
      for (;;) {
        while (steps.length < stepsAhead) await begin();
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

/** Reads a source, whatever its chunks are, in shared memory of one size; null at its end. */
function createGathering(source: PrefetchedSource, buffers: SharedBuffers) {
  let rest: Uint8Array = new Uint8Array();

  return async (): Promise<Uint8Array<SharedArrayBuffer> | null> => {
    const gathered = new Uint8Array(buffers.take(inputBytes), 0, inputBytes);
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
