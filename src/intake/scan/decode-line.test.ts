import { describe, expect, test } from 'vitest';
import { maximumLineBytes } from '../report/faults.ts';
import { decodeLine, endOfLine, type Line } from './decode-line.ts';

function decode(content: string | Uint8Array): Line {
  const bytes = Buffer.from(content);
  return decodeLine(
    Buffer.concat([Buffer.from('é'), bytes, Buffer.from('é')]),
    2,
    bytes.length + 2,
  );
}

describe('encoding', () => {
  test.each([
    ['an invalid first byte', [0xff]],
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
  ])('%s is invalid UTF-8', (_, bytes) => {
    expect(decode(Uint8Array.from(bytes))).toEqual({ fault: 'bad_encoding' });
  });

  test.each(['', 'a', 'é😀', '\ufeff', '\0', '\ufffd', 'a\rb\r'])('%j is text', (text) => {
    expect(decode(text)).toEqual({ text });
  });
});

test('the length limit counts bytes, not characters', () => {
  const longest = 'é'.repeat(maximumLineBytes / 2);
  expect(decode(longest)).toEqual({ text: longest });
  expect(decode(`${longest}x`)).toEqual({ fault: 'line_too_long' });
});

test('the length is checked before the encoding', () => {
  expect(decode(Buffer.alloc(maximumLineBytes + 1, 0xff))).toEqual({ fault: 'line_too_long' });
});

test.each([
  ['a\n', 1],
  ['a\r\n', 1],
  ['a\r\r\n', 2],
  ['\r\n', 0],
  ['\n', 0],
])('%j ends at %i', (line, end) => {
  const bytes = Buffer.from(`\r${line}`);
  expect(endOfLine(bytes, 1, bytes.length - 1)).toBe(end + 1);
});
