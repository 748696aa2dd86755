import { isUtf8 } from 'node:buffer';
import { type LineFault, maximumLineBytes } from '../report/faults.ts';
import { carriageReturn } from './ascii.ts';

export type Line = { readonly text: string } | { readonly fault: LineFault };

/** Decodes a line without its ending. A line feed is never part of a longer UTF-8 sequence. */
export function decodeLine(bytes: Buffer, start: number, end: number): Line {
  if (end - start > maximumLineBytes) return { fault: 'line_too_long' };
  const text = bytes.toString('utf8', start, end);
  // Decoding replaces invalid bytes by U+FFFD. Only a line that contains it needs a strict check.
  if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end))) {
    return { fault: 'bad_encoding' };
  }
  return { text };
}

/** The end of a line's text: one carriage return before the line feed belongs to the ending. */
export function endOfLine(bytes: Uint8Array, start: number, lineFeedAt: number): number {
  return lineFeedAt > start && bytes[lineFeedAt - 1] === carriageReturn
    ? lineFeedAt - 1
    : lineFeedAt;
}
