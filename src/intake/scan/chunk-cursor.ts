import { wordsPerDevice } from '../../domain/row-batch.ts';
import type { RowKind, ScanTask } from './scan-task.ts';

/** The position of a scan: in the chunk's lines and in the rows written so far. */
export interface ChunkCursor {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly view: DataView<SharedArrayBuffer>;
  readonly buffer: Buffer;
  /** The end of the lines, just after the last line feed. */
  readonly end: number;
  readonly words: Uint32Array<SharedArrayBuffer>;
  /** The start of the current line. */
  at: number;
  /** Counted from 1 within the chunk. */
  line: number;
  /** Where the next row is written. */
  word: number;
  rows: number;
  /** The end of the text that was looked up last. */
  textEnd: number;
}

export const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Readable bytes after a chunk: the fast paths load a whole identifier before checking its length. */
export const slackBytes = 64;

export function beginChunk({ input, start, end, isFileStart, output }: ScanTask): ChunkCursor {
  const bytes = new Uint8Array(input);
  const isMarked = isFileStart && byteOrderMark.every((byte, i) => bytes[start + i] === byte);
  return {
    bytes,
    view: new DataView(input),
    buffer: Buffer.from(input),
    end,
    words: new Uint32Array(output),
    at: isMarked ? start + byteOrderMark.length : start,
    line: 1,
    word: 0,
    rows: 0,
    textEnd: 0,
  };
}

/** The shortest accepted line: an identifier, a delimiter and a line feed. */
const leastLineBytes = 38;
const leastRowBytes = (wordsPerDevice + 1) * Uint32Array.BYTES_PER_ELEMENT;

/** The most rows that lines of that many bytes can hold. */
function rowsWithin(bytes: number): number {
  return Math.ceil(bytes / leastLineBytes);
}

/** The most bytes that the rows of lines of that many bytes can take. */
export function outputBytes(bytes: number, kind: RowKind['kind']): number {
  const rows = rowsWithin(bytes) * leastRowBytes;
  // A key takes at least two bytes with its separator, and four bytes in the output.
  return slackBytes + (kind === 'audience' ? rows : Math.max(rows, 2 * bytes));
}
