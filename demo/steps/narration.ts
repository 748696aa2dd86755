import type { WriteStream } from 'node:tty';
import { bar } from '../../src/cli/output/progress-bar.ts';
import { createStatusLine } from '../../src/cli/output/status-line.ts';

/** Reports progress: a bar while a step runs, and a line with its duration when it is done. */
export interface Narration {
  /** Where bars are drawn. */
  readonly terminal: WriteStream;
  step<T>(work: () => Promise<T>, describe: (result: T) => string): Promise<T>;
  /** A step that reports how many devices are done. */
  deviceStep<T>(
    what: string,
    devices: number,
    work: (onProgress: (devicesDone: number) => void) => Promise<T>,
    describe: (result: T) => string,
  ): Promise<T>;
}

const plainEveryMs = 5_000;

export function createNarration(output: NodeJS.WritableStream, terminal: WriteStream): Narration {
  async function step<T>(work: () => Promise<T>, describe: (result: T) => string): Promise<T> {
    const before = performance.now();
    const result = await work();
    const seconds = ((performance.now() - before) / 1_000).toFixed(1).padStart(5);
    output.write(`${seconds} s  ${describe(result)}\n`);
    return result;
  }

  return {
    terminal,
    step,
    deviceStep(what, devices, work, describe) {
      const line = createStatusLine(terminal, plainEveryMs);
      const show = (done: number) => line.show(`${bar(done, devices)}  ${what}`);
      return step(() => work(show).finally(() => line.end()), describe);
    },
  };
}
