import { addText, findText, notFound, slotWords, type TextTable, tableSeed } from './text-table.ts';
import { viewOf, wordsIn } from './text-words.ts';

/** Maps keys to segment numbers, in memory shared by all threads. */
export interface KeyTable extends TextTable<SharedArrayBuffer> {
  /** Greater than every segment number. */
  readonly segments: number;
}

const delimiter = /[,\t]/;

export function buildKeyTable(keys: ReadonlyMap<string, number>): KeyTable {
  // A malformed string cannot occur in a file. Encoded as UTF-8 it would equal another key.
  const entries = [...keys]
    .filter(([key]) => key !== '' && key.isWellFormed())
    .map(([key, number]) => ({ key, length: Buffer.byteLength(key), number }));
  const table = {
    seed: tableSeed(),
    short: sharedWords(slotWords(entries.length)),
    long: sharedWords(slotWords(entries.length)),
    text: sharedWords(entries.reduce((sum, { length }) => sum + wordsIn(length), 0)),
    segments: entries.reduce((above, { number }) => Math.max(above, number + 1), 0),
  };
  let offset = 0;
  for (const { key, length, number } of entries) {
    // A key with a delimiter must be quoted. It is entered so that unquoted lookups do not find it,
    // which spares the fast path a search for delimiters.
    const entered = delimiter.test(key) ? onlyQuoted(number) : number;
    addText(table, viewOf(key), 0, length, entered, offset);
    offset += wordsIn(length);
  }
  return table;
}

function sharedWords(length: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
}

/** Encodes the number of a key that must be quoted, as a value below `notFound`. Its own inverse. */
export function onlyQuoted(number: number): number {
  return notFound - 1 - number;
}

/** The segment number of a key, compared by its exact characters. */
export function segmentOfKey(table: KeyTable, key: string): number | undefined {
  const found = findText(table, viewOf(key), 0, Buffer.byteLength(key));
  if (found === notFound) return undefined;
  return found < notFound ? onlyQuoted(found) : found;
}
