import type { WriteStream } from 'node:tty';

/** How something stands, told over and over while it lasts. */
export interface StatusLine {
  show(text: string): void;
  /** A terminal is left as it was before. */
  end(): void;
}

const redrawMs = 100;

/** On a terminal one line, drawn anew; elsewhere nothing, or a line of its own every so often. */
export function createStatusLine(
  terminal: WriteStream,
  plainEveryMs = Number.POSITIVE_INFINITY,
): StatusLine {
  let shown = '';
  let shownAt = 0;

  function showPlainly(text: string): void {
    const isFirst = shown === '' && plainEveryMs !== Number.POSITIVE_INFINITY;
    if (text === shown || (!isFirst && Date.now() - shownAt < plainEveryMs)) return;
    terminal.write(`${text}\n`);
    shown = text;
    shownAt = Date.now();
  }

  function draw(text: string): void {
    if (Date.now() - shownAt < redrawMs) return;
    shownAt = Date.now();
    // A line that wraps could not be cleared as one.
    terminal.write(`\r\x1b[K${text.slice(0, Math.max(terminal.columns - 1, 0) || undefined)}`);
  }

  return {
    show: (text) => (terminal.isTTY ? draw(text) : showPlainly(text)),
    end() {
      if (terminal.isTTY) terminal.write('\r\x1b[K');
    },
  };
}
