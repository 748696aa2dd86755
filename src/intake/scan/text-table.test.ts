import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginChunk } from './chunk-cursor.ts';
import { buildKeyTable } from './key-table.ts';
import { addText, findNext, findText, notFound } from './text-table.ts';
import { repeated, viewOf } from './text-words.ts';

const bar = repeated(0x7c);

/** Looks up a text in the middle of a line. */
function findIn(keys: ReadonlyMap<string, number>, line: string, start: number) {
  const bytes = Buffer.from(line);
  const input = new SharedArrayBuffer(bytes.length + 64);
  new Uint8Array(input).fill(0x78).set(bytes);
  const cursor = beginChunk({
    input,
    start: 0,
    end: bytes.length,
    isFileStart: false,
    layout: null,
    rowKind: { kind: 'audience' },
    output: new SharedArrayBuffer(8),
    keptRejects: 0,
  });
  const number = findNext(buildKeyTable(keys), cursor, start, bar, bar);
  return { number, text: bytes.toString('utf8', start, cursor.textEnd) };
}

test.each(Array.from({ length: 30 }, (_, i) => i + 1))('a text of %i bytes is found', (length) => {
  const text = 'abcdefghijklmnopqrstuvwxyz0123456789'.slice(0, length);
  const keys = new Map([
    [text, 5],
    [`${text}x`, 6],
    [text.slice(1), 7],
  ]);
  for (const end of ['|', '\n', '\r\n', '\t']) {
    expect(findIn(keys, `??|${text}${end}`, 3)).toEqual({ number: 5, text });
    expect(findIn(keys, `??|${text}y${end}`, 3)).toEqual({ number: notFound, text: `${text}y` });
  }
});

test('an empty text is not found and ends where it begins', () => {
  expect(findIn(new Map([['a', 1]]), '||\n', 1)).toEqual({ number: notFound, text: '' });
  expect(findText(buildKeyTable(new Map([['a', 1]])), viewOf(''), 0, 0)).toBe(notFound);
});

test('colliding texts are distinguished', () => {
  const table = {
    seed: 1,
    short: new Int32Array(16),
    long: new Int32Array(16),
    text: new Int32Array(100),
  };
  // Three texts in four slots, so most of them collide.
  const texts = ['a', 'b', 'c', ...['a', 'b', 'c'].map((letter) => letter.repeat(20))];
  let offset = 0;
  for (const [number, text] of texts.entries()) {
    addText(table, viewOf(text), 0, text.length, number, offset);
    offset += 5;
  }
  const find = (text: string) => findText(table, viewOf(text), 0, text.length);
  expect(texts.map(find)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(['d', 'd'.repeat(20), `${'a'.repeat(19)}b`].map(find)).toEqual(Array(3).fill(notFound));
});

test('a table finds exactly the texts of its map', () => {
  const unit = fc.constantFrom('a', 'b', 'é', '\0', '1');
  const text = fc.string({ unit, minLength: 1, maxLength: 16 });
  fc.assert(
    fc.property(fc.array(text), text, (texts, other) => {
      const keys = new Map(texts.map((key, number) => [key, number]));
      const table = buildKeyTable(keys);
      for (const key of [...texts, other]) {
        const found = findText(table, viewOf(key), 0, Buffer.byteLength(key));
        expect(found).toBe(keys.get(key) ?? notFound);
      }
    }),
  );
});
