import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { createStatusLine } from './status-line.ts';

/** What was written to it, as a terminal or as a file would receive it. */
function paper(isTTY: boolean, columns = 20) {
  const written: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => written.push(text) };
  return { written, stream: stream as unknown as WriteStream };
}

test('a terminal has one line, never longer than it is wide, and cleared at the end', () => {
  const { written, stream } = paper(true);
  const line = createStatusLine(stream);
  line.show('x'.repeat(30));
  line.show('drawn too soon after');
  line.end();
  expect(written).toEqual([`\r\x1b[K${'x'.repeat(19)}`, '\r\x1b[K']);
});

test('elsewhere a line is written every so often, and none twice', () => {
  const { written, stream } = paper(false);
  const often = createStatusLine(stream, 0);
  for (const text of ['waits', 'waits', 'running']) often.show(text);
  often.end();
  const seldom = createStatusLine(stream, 60_000);
  for (const text of ['first', 'second']) seldom.show(text);
  expect(written).toEqual(['waits\n', 'running\n', 'first\n']);
});

test('elsewhere nothing is written unless it is asked for', () => {
  const { written, stream } = paper(false);
  createStatusLine(stream).show('running');
  expect(written).toEqual([]);
});
