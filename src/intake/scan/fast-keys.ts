import { inPlace, removal, wordsPerDevice } from '../../domain/row-batch.ts';
import { maximumLineBytes } from '../report/faults.ts';
import type { ChunkCursor } from './chunk-cursor.ts';
import { onlyQuoted } from './key-table.ts';
import type { MarketplaceRows } from './scan-task.ts';
import type { SegmentMarks } from './segment-marks.ts';
import { findNext, notFound } from './text-table.ts';
import { repeated } from './text-words.ts';

// Not imported from ascii.ts: with imported constants a chunk took about 4% longer.
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
/** The bit that makes an ASCII letter lower case. */
const lowerCase = 0x20;
const quote = 0x22;
const zero = 0x30;
const one = 0x31;
const three = 0x33;
const letterA = 0x61;
const letterZ = 0x7a;
const bar = 0x7c;

const bars = repeated(bar);

/** Between the identifier and the keys: `,1,DE,0,`. */
const middleCharacters = 8;
/** At least the bytes of a line up to the end of its identifier. */
const leftOfKeys = 64;

/** What `takeKeys` needs, prepared once per chunk. */
export interface FastKeys {
  readonly cursor: ChunkCursor;
  readonly delimiter: number;
  readonly columns: number;
  readonly rowKind: MarketplaceRows;
  readonly marks: SegmentMarks;
}

/**
 * Takes the rest of a row after its identifier: the plain middle cells, if the file has them, and
 * known keys, quoted or not. Known keys are valid UTF-8, so their bytes need no check. Returns the
 * start of the next line, or 0 if anything is unusual.
 */
export function takeKeys(
  { cursor, delimiter, columns, rowKind, marks }: FastKeys,
  idEnd: number,
  word: number,
): number {
  const { bytes, words } = cursor;
  const { marked } = marks;
  let cell = idEnd + 1;
  let sign = 0;
  if (columns === 2) {
    if (bytes[idEnd] !== delimiter) return 0;
  } else {
    const operation = plainOperation(bytes, idEnd, delimiter);
    if (operation === one && rowKind.mode === 'merge') sign = removal;
    else if (operation !== zero) return 0;
    cell = idEnd + middleCharacters;
  }
  if (bytes[cell] === space) return 0;
  const isQuoted = bytes[cell] === quote;

  const mark = ++marks.mark;
  const ends = repeated(isQuoted ? quote : bar);
  const header = word + wordsPerDevice;
  let number = 0;
  let last = header;
  let stop = isQuoted ? cell + 1 : cell;
  for (;;) {
    const found = findNext(rowKind.keys, cursor, stop, bars, ends);
    if (cursor.textEnd > stop) {
      if (found === notFound) return 0;
      if (found < notFound && !isQuoted) return 0;
      number = found < notFound ? onlyQuoted(found) : found;
      if (marked[number] !== mark) {
        marked[number] = mark;
        words[++last] = number;
      }
      stop = cursor.textEnd;
    }
    if (bytes[stop] !== bar) break;
    stop++;
  }
  if (isQuoted ? bytes[stop] !== quote : bytes[stop - 1] === space) return 0;
  const cellEnd = isQuoted ? stop + 1 : stop;
  const feed = bytes[cellEnd] === carriageReturn ? cellEnd + 1 : cellEnd;
  if (bytes[feed] !== lineFeed || last === header) return 0;
  if (feed - idEnd > maximumLineBytes - leftOfKeys) return 0;
  const count = last - header;
  words[header] = sign | (count === 1 ? inPlace | number : count);
  return feed + 1;
}

/** The operation's character, or 0 unless all middle cells are plain. */
function plainOperation(bytes: Uint8Array, at: number, delimiter: number): number {
  const idType = bytes[at + 1];
  const first = bytes[at + 3]! | lowerCase;
  const second = bytes[at + 4]! | lowerCase;
  const isPlain =
    bytes[at] === delimiter &&
    (idType === one || idType === three) &&
    bytes[at + 2] === delimiter &&
    first >= letterA &&
    first <= letterZ &&
    second >= letterA &&
    second <= letterZ &&
    bytes[at + 5] === delimiter &&
    bytes[at + 7] === delimiter;
  return isPlain ? bytes[at + 6]! : 0;
}
