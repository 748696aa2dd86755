import { wordsPerDevice } from '../../domain/row-batch.ts';
import type { RowKind, ScanTask } from './scan-task.ts';

/** How far the scan of a chunk has come: in its lines and in the rows that it writes. */
export interface ChunkCursor {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly view: DataView<SharedArrayBuffer>;
  readonly buffer: Buffer;
  /** Past the last line feed. */
  readonly end: number;
  readonly words: Uint32Array<SharedArrayBuffer>;
  /** The beginning of a line. */
  at: number;
  /** Counted from 1 within the chunk. */
  line: number;
  /** Where the next row goes. */
  word: number;
  rows: number;
  /** Where the text ends that was looked up last. */
  textEnd: number;
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** The straight paths load an identifier's characters before they know that the line has so many. */
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

/** An accepted line has an identifier, a delimiter and an ending, at the least. */
const leastLineBytes = 38;
const leastRowBytes = (wordsPerDevice + 1) * Uint32Array.BYTES_PER_ELEMENT;

/** As many rows as lines of that many bytes can hold at most. */
function rowsWithin(bytes: number): number {
  return Math.ceil(bytes / leastLineBytes);
}

/** What the rows of so many bytes of lines may take, however the lines are made. */
export function outputBytes(bytes: number, kind: RowKind['kind']): number {
  const rows = rowsWithin(bytes) * leastRowBytes;
  // Each key of several makes four bytes out of two at least: itself and a separator.
  return slackBytes + (kind === 'audience' ? rows : Math.max(rows, 2 * bytes));
}
