import { inPlace, wordsPerDevice } from '../../domain/row-batch.ts';
import { maximumLabelBytes } from '../report/faults.ts';
import type { ChunkCursor } from './chunk-cursor.ts';
import type { LabelDictionary } from './label-dictionary.ts';
import { findNext } from './text-table.ts';
import { repeated } from './text-words.ts';

// Not imported from ascii.ts: with imported constants a chunk took about 4% longer.
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;

/** What `takeLabel` needs, prepared once per chunk. */
export interface FastLabel {
  readonly cursor: ChunkCursor;
  readonly delimiter: number;
  readonly labels: LabelDictionary;
}

/**
 * Takes the rest of a row after its identifier: an empty label, an ASCII label, or one that the chunk
 * has already had, quoted or not. Returns the start of the next line, or 0 if anything is unusual,
 * for example a quote inside quotes.
 */
export function takeLabel(
  { cursor, delimiter, labels }: FastLabel,
  idEnd: number,
  word: number,
  line: number,
): number {
  const { bytes, words } = cursor;
  const cell = idEnd + 1;
  if (bytes[idEnd] !== delimiter || bytes[cell] === space) return 0;
  const isQuoted = bytes[cell] === quote;
  const start = isQuoted ? cell + 1 : cell;
  const ends = repeated(isQuoted ? quote : delimiter);
  let label = findNext(labels.table, cursor, start, ends, ends);
  const stop = cursor.textEnd;
  if (isQuoted ? bytes[stop] !== quote : bytes[stop - 1] === space) return 0;
  const cellEnd = isQuoted ? stop + 1 : stop;
  const feed = bytes[cellEnd] === carriageReturn ? cellEnd + 1 : cellEnd;
  if (bytes[feed] !== lineFeed) return 0;
  if (stop === start) {
    words[word + wordsPerDevice] = 0;
    return feed + 1;
  }
  if (label < 0) {
    if (stop - start > maximumLabelBytes || !isAscii(bytes, start, stop)) return 0;
    label = labels.add(cursor.view, start, stop - start, line);
  }
  labels.counts[label]!++;
  words[word + wordsPerDevice] = inPlace | label;
  return feed + 1;
}

function isAscii(bytes: Uint8Array, start: number, stop: number): boolean {
  for (let at = start; at < stop; at++) if (bytes[at]! >= 0x80) return false;
  return true;
}
