import type { WriteStream } from 'node:tty';
import { bytes, duration } from './print.ts';

export interface ProgressBar {
  /** Passes the chunks on and shows how far they are. */
  counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** Clears the line. */
  end(): void;
}

const width = 30;
const redrawMs = 100;

/** How far something of a known size is, on one line of a terminal; silent where there is none. */
export function createProgressBar(terminal: WriteStream, total: number): ProgressBar {
  const startedAt = Date.now();
  let done = 0;
  let drawnAt = 0;

  function draw(): void {
    if (!terminal.isTTY || Date.now() - drawnAt < redrawMs) return;
    drawnAt = Date.now();
    terminal.write(`\r\x1b[K${progressLine(done, total, (drawnAt - startedAt) / 1000)}`);
  }

  return {
    async *counted(source) {
      for await (const chunk of source) {
        yield chunk;
        done += chunk.length;
        draw();
      }
    },
    end() {
      if (terminal.isTTY) terminal.write('\r\x1b[K');
    },
  };
}

export function progressLine(done: number, total: number, seconds: number): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░');
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? `, ${duration((total - done) / rate)} left` : '';
  return `${bar} ${Math.floor(share * 100)} %  ${bytes(done)} of ${bytes(total)}, ${bytes(rate)}/s${left}`;
}
