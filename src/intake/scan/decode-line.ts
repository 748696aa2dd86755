import { isUtf8 } from 'node:buffer';
import { type LineFault, maximumLineBytes } from '../report/faults.ts';

export type Line = { readonly text: string } | { readonly fault: LineFault };

/**
 * The text of a line, its ending left out. A line feed is never part of a longer UTF-8 sequence,
 * so each line can be checked by itself.
 */
export function decodeLine(bytes: Buffer, start: number, end: number): Line {
  if (end - start > maximumLineBytes) return { fault: 'line_too_long' };
  const text = bytes.toString('utf8', start, end);
  // Decoding puts U+FFFD where bytes are wrong; only a line that has one needs the strict look.
  if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, end))) {
    return { fault: 'bad_encoding' };
  }
  return { text };
}

/** Where a line ends that is followed by a line feed: one carriage return before it is its ending's. */
export function endOfLine(bytes: Uint8Array, start: number, lineFeedAt: number): number {
  return lineFeedAt > start && bytes[lineFeedAt - 1] === 0x0d ? lineFeedAt - 1 : lineFeedAt;
}
