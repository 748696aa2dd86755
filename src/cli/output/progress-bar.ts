import type { WriteStream } from 'node:tty';
import { bytes, duration } from './print.ts';
import { createStatusLine } from './status-line.ts';

export interface ProgressBar {
  /** Passes the chunks on and shows the progress. */
  counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** Clears the line. */
  end(): void;
}

/** Leaves room in 80 columns for the figures of a hundred million rows. */
const width = 20;

/** The progress of something of known size, on one line of a terminal. Silent without a terminal. */
export function createProgressBar(terminal: WriteStream, total: number): ProgressBar {
  const line = createStatusLine(terminal);
  const startedAt = performance.now();
  let done = 0;
  return {
    async *counted(source) {
      for await (const chunk of source) {
        yield chunk;
        done += chunk.length;
        line.show(progressLine(done, total, (performance.now() - startedAt) / 1000));
      }
    },
    end: line.end,
  };
}

export function progressLine(done: number, total: number, seconds: number): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? `, ${duration((total - done) / rate)} left` : '';
  return `${bar(done, total)}  ${bytes(done)} of ${bytes(total)}, ${bytes(rate)}/s${left}`;
}

export function bar(done: number, total: number): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  const drawn = '█'.repeat(Math.round(share * width)).padEnd(width, '░');
  return `${drawn} ${Math.floor(share * 100)} %`;
}
