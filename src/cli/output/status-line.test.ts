import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { createStatusLine } from './status-line.ts';

/** A terminal or file that records its output. */
function recordingStream(isTTY: boolean, columns = 20) {
  const written: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as WriteStream };
}

test('a terminal has one line, cut to its width and cleared at the end', () => {
  const { written, stream } = recordingStream(true);
  const line = createStatusLine(stream);
  line.show('x'.repeat(30));
  line.show('drawn too soon after');
  line.end();
  expect(written).toEqual([`\r\x1b[K${'x'.repeat(19)}`, '\r\x1b[K']);
});

test('elsewhere lines are written at intervals, without repetition', () => {
  const { written, stream } = recordingStream(false);
  const often = createStatusLine(stream, 0);
  for (const text of ['waiting', 'waiting', 'running']) often.show(text);
  often.end();
  const seldom = createStatusLine(stream, 60_000);
  for (const text of ['first', 'second']) seldom.show(text);
  expect(written).toEqual(['waiting\n', 'running\n', 'first\n']);
});

test('elsewhere nothing is written without an interval', () => {
  const { written, stream } = recordingStream(false);
  createStatusLine(stream).show('running');
  expect(written).toEqual([]);
});
