import { lineFeed } from '../scan/ascii.ts';

/** Bytes [start, end) of a file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The lines that start within the range. Consecutive ranges therefore have every line once. A line never
 * spans several lines of text, because a quoted cell has no line breaks. `open` reads from an offset on.
 */
export async function* linesOfRange(
  open: (offset: number) => AsyncIterable<Uint8Array>,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array> {
  // One byte earlier, which shows whether a line starts at the first byte of the range.
  let at = Math.max(start - 1, 0);
  let hasBegun = start === 0;
  for await (const chunk of open(at)) {
    let from = 0;
    if (!hasBegun) {
      const feed = chunk.indexOf(lineFeed);
      from = feed === -1 ? chunk.length : feed + 1;
      hasBegun = feed !== -1;
      if (at + from >= end) return;
    }
    if (hasBegun) {
      // The line that has the last byte of the range is the last one.
      const feed = chunk.indexOf(lineFeed, Math.max(end - 1 - at, from));
      if (feed !== -1) {
        yield chunk.subarray(from, feed + 1);
        return;
      }
      if (from < chunk.length) yield chunk.subarray(from);
    }
    at += chunk.length;
  }
}
