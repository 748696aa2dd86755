import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOfRange } from './lines-of-range.ts';

/** Reads a range of the text, which comes in chunks of the given size. */
async function read(text: string, start: number, end: number, chunkBytes = 3): Promise<string> {
  const bytes = Buffer.from(text);
  function open(offset: number): Readable {
    const chunks: Buffer[] = [];
    for (let at = offset; at < bytes.length; at += chunkBytes) {
      chunks.push(bytes.subarray(at, at + chunkBytes));
    }
    return Readable.from(chunks);
  }
  return Buffer.concat(await Array.fromAsync(linesOfRange(open, { start, end }))).toString();
}

test('a range has the lines that start in it, completely', async () => {
  const text = 'one\ntwo\nthree\n';
  expect(await read(text, 0, 3)).toBe('one\n');
  expect(await read(text, 0, 4)).toBe('one\n');
  expect(await read(text, 0, 5)).toBe('one\ntwo\n');
  expect(await read(text, 3, 8)).toBe('two\n');
  expect(await read(text, 4, 8)).toBe('two\n');
  expect(await read(text, 5, 8)).toBe('');
  expect(await read(text, 5, 9)).toBe('three\n');
  expect(await read(text, 9, 14)).toBe('');
});

test('a line break of two characters, or none at the end, belongs to its line', async () => {
  expect(await read('one\r\ntwo', 0, 4)).toBe('one\r\n');
  expect(await read('one\r\ntwo', 4, 8)).toBe('two');
  expect(await read('one\r\ntwo', 5, 8)).toBe('two');
});

test('consecutive ranges have every line exactly once', async () => {
  const character = fc.constantFrom('a', ',', '\n', '\r\n', '"', 'é', '😀');
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: character, maxLength: 60 }),
      fc.array(fc.nat(80), { maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      async (text, cuts, chunkBytes) => {
        const size = Buffer.byteLength(text);
        const bounds = [...new Set([0, ...cuts.filter((cut) => cut < size), size])];
        bounds.sort((a, b) => a - b);
        let joined = '';
        for (const [i, start] of bounds.slice(0, -1).entries()) {
          const lines = await read(text, start, bounds[i + 1]!, chunkBytes);
          // Lines end at a line feed, except the last line of the text.
          if (lines !== '' && joined + lines !== text) expect(lines.endsWith('\n')).toBe(true);
          joined += lines;
        }
        expect(joined).toBe(text);
      },
    ),
  );
});
