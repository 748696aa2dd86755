import type { WriteStream } from 'node:tty';

/** A status that is shown while a command runs. */
export interface StatusLine {
  show(text: string): void;
  /** Clears the line. */
  end(): void;
}

const redrawMs = 100;

/** On a terminal one line that is redrawn. Elsewhere a new line every `plainEveryMs`, or nothing. */
export function createStatusLine(
  terminal: WriteStream,
  plainEveryMs = Number.POSITIVE_INFINITY,
): StatusLine {
  let shown = '';
  let shownAt = -redrawMs;

  function printLine(text: string): void {
    const isFirst = shown === '' && plainEveryMs !== Number.POSITIVE_INFINITY;
    if (text === shown || (!isFirst && performance.now() - shownAt < plainEveryMs)) return;
    terminal.write(`${text}\n`);
    shown = text;
    shownAt = performance.now();
  }

  function draw(text: string): void {
    if (performance.now() - shownAt < redrawMs) return;
    shownAt = performance.now();
    // A wrapped line cannot be cleared.
    terminal.write(`\r\x1b[K${text.slice(0, Math.max(terminal.columns - 1, 0) || undefined)}`);
  }

  return {
    show: (text) => (terminal.isTTY ? draw(text) : printLine(text)),
    end() {
      if (terminal.isTTY) terminal.write('\r\x1b[K');
    },
  };
}
