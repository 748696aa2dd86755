import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Line, maximumLineBytes, readLines } from './lines.ts';

async function linesOf(...chunks: (string | Uint8Array)[]): Promise<Line[]> {
  const source = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  return (await Array.fromAsync(readLines(source))).flat();
}

async function textsOf(...chunks: (string | Uint8Array)[]): Promise<unknown[]> {
  return (await linesOf(...chunks)).map((line) => ('text' in line ? line.text : line.fault));
}

describe('endings', () => {
  test('a file of no bytes has no line', async () => {
    expect(await linesOf()).toEqual([]);
    expect(await linesOf('', '')).toEqual([]);
  });

  test('lines end with LF or CRLF, the last one with the file', async () => {
    expect(await textsOf('a\nb\r\nc')).toEqual(['a', 'b', 'c']);
    expect(await textsOf('a\nb\r\n')).toEqual(['a', 'b']);
  });

  test('lines are counted from 1, empty ones too', async () => {
    expect(await linesOf('\n\r\na')).toEqual([
      { number: 1, text: '' },
      { number: 2, text: '' },
      { number: 3, text: 'a' },
    ]);
  });

  test('a CR ends no line; only one before the ending is dropped', async () => {
    expect(await textsOf('a\rb\r\r\nc\r')).toEqual(['a\rb\r', 'c']);
  });

  test('a chunk may end anywhere', async () => {
    const bytes = Buffer.from('\ufeffé\r\n😀\r\n\r\nlast');
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await textsOf(...single)).toEqual(['é', '😀', '', 'last']);
    expect(await textsOf('a', '\r', '', '\n', 'b')).toEqual(['a', 'b']);
  });

  test('a source may use its buffer again for the next chunk', async () => {
    async function* reusing(): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.from('ab\ncd');
      yield buffer;
      buffer.write('ef\ngh');
      yield buffer;
    }
    const texts: unknown[] = [];
    for await (const lines of readLines(reusing())) {
      for (const line of lines) texts.push('text' in line ? line.text : line.fault);
    }
    expect(texts).toEqual(['ab', 'cdef', 'gh']);
  });
});

describe('byte order mark', () => {
  test('is dropped at the start of the file and nowhere else', async () => {
    expect(await textsOf('\ufeff\ufeffa\n\ufeffb')).toEqual(['\ufeffa', '\ufeffb']);
    expect(await textsOf('\ufeff')).toEqual(['']);
  });

  test('an incomplete one is not UTF-8', async () => {
    expect(await textsOf(Uint8Array.of(0xef, 0xbb))).toEqual(['bad_encoding']);
  });
});

describe('encoding', () => {
  test.each([
    ['a byte that begins nothing', [0xff]],
    ['a continuation by itself', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['past U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a sequence the line feed cuts', [0xe2, 0x82]],
  ])('%s is the last that is read', async (_, bytes) => {
    const lines = await linesOf('fine\n', Uint8Array.from(bytes), '\nnever read\n');
    expect(lines).toEqual([
      { number: 1, text: 'fine' },
      { number: 2, fault: 'bad_encoding' },
    ]);
  });

  test('a sequence the end of the file cuts', async () => {
    expect(await linesOf('a', Uint8Array.of(0xe2, 0x82))).toEqual([
      { number: 1, fault: 'bad_encoding' },
    ]);
  });

  test('a replacement character of the file itself is text, and so is NUL', async () => {
    expect(await textsOf('\ufffd\0\n')).toEqual(['\ufffd\0']);
  });
});

describe('length', () => {
  const longest = 'x'.repeat(maximumLineBytes);

  test('the longest line is read with any ending, mark and cut', async () => {
    expect(await textsOf(`${longest}\r\n${longest}`)).toEqual([longest, longest]);
    expect(await textsOf('\ufeff', longest, '\r', '\n')).toEqual([longest]);
  });

  test.each([
    ['in one chunk', [`a\n${longest}x\nb`]],
    ['cut', ['a\n', longest, 'x\nb']],
    ['with a mark', ['a\n\ufeff', longest, '\nb']],
    ['at the end of the file', ['a\n', longest, 'x']],
  ])('one byte more is too long: %s', async (_, chunks) => {
    expect(await linesOf(...chunks)).toEqual([
      { number: 1, text: 'a' },
      { number: 2, fault: 'line_too_long' },
    ]);
  });

  test('a line without end is given up early, and its source closed', async () => {
    let bytesTaken = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          bytesTaken += 1000;
          yield Buffer.alloc(1000, 'x');
        }
      } finally {
        closed = true;
      }
    }
    const batches = await Array.fromAsync(readLines(endless()));
    expect(batches.flat()).toEqual([{ number: 1, fault: 'line_too_long' }]);
    expect(bytesTaken).toBeLessThan(maximumLineBytes + 2000);
    expect(closed).toBe(true);
  });
});
