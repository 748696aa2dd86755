import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maximumLineBytes } from '../report/faults.ts';
import { cutAt } from '../testing/awkward-files.ts';
import { cutIntoChunks } from './line-chunks.ts';
import { createReadAhead, type FileBuffers } from './read-ahead.ts';
import { createSharedBuffers } from './shared-buffers.ts';

function openBuffers(): FileBuffers {
  const ahead = createReadAhead(createSharedBuffers(1 << 24), 1 << 30);
  return ahead.open(new AbortController().signal);
}

async function chunksOf(chunkBytes: number, ...pieces: (string | Uint8Array)[]): Promise<string[]> {
  const buffers = openBuffers();
  const content = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  const chunks: string[] = [];
  for await (const chunk of cutIntoChunks(content, chunkBytes, buffers)) {
    const { input, start, end, isFileStart } = chunk;
    expect(isFileStart).toBe(chunks.length === 0);
    chunks.push(Buffer.from(input).toString('latin1', start, end));
    buffers.giveBack(input);
  }
  return chunks;
}

test('an empty file has no chunks', async () => {
  expect(await chunksOf(10)).toEqual([]);
  expect(await chunksOf(10, '', '')).toEqual([]);
});

test('every chunk ends with a line feed, including the last', async () => {
  expect(await chunksOf(10, 'one\ntwo\nthree\nfour')).toEqual(['one\ntwo\n', 'three\n', 'four\n']);
  expect(await chunksOf(10, 'one\n')).toEqual(['one\n']);
});

test('a chunk grows to hold a line longer than itself', async () => {
  expect(await chunksOf(4, 'a long line\nb\n')).toEqual(['a long line\n', 'b\n']);
});

test('no byte is lost or duplicated, wherever the content is cut', async () => {
  const file = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r'), maxLength: 300 });
  const places = fc.array(fc.nat(), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(file, places, fc.integer({ min: 1, max: 100 }), async (text, cuts, size) => {
      const chunks = await chunksOf(size, ...cutAt(Buffer.from(text), cuts));
      expect(chunks.join('')).toBe(text === '' || text.endsWith('\n') ? text : `${text}\n`);
      expect(chunks.every((chunk) => chunk.endsWith('\n'))).toBe(true);
      const lines = chunks.map((chunk) => chunk.split('\n').length - 1);
      expect(chunks.every((chunk, i) => chunk.length <= size || lines[i] === 1)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

describe('an endless line', () => {
  test('stops the reading, closes the source and returns its beginning', async () => {
    let taken = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('a\n');
        for (;;) {
          taken += 1000;
          yield Buffer.alloc(1000, 'x');
        }
      } finally {
        closed = true;
      }
    }
    const lengths: number[] = [];
    for await (const chunk of cutIntoChunks(endless(), 1 << 20, openBuffers())) {
      lengths.push(chunk.end - chunk.start);
    }
    expect(taken).toBeLessThan(maximumLineBytes + 2000);
    expect(closed).toBe(true);
    expect(lengths).toHaveLength(1);
    expect(lengths[0]).toBeGreaterThan(maximumLineBytes + 2);
  });

  test('differs from the longest allowed line', async () => {
    const longest = `\xef\xbb\xbf${'x'.repeat(maximumLineBytes)}\r\n`;
    const pieces = [Buffer.from(longest, 'latin1'), 'b\n'];
    expect(await chunksOf(1000, ...pieces)).toEqual([longest, 'b\n']);
  });
});
