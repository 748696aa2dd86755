import { addText, findText, notFound, slotWords, type TextTable, tableSeed } from './text-table.ts';
import { viewOf, wordsIn } from './text-words.ts';

/** Keys and the numbers of their segments, in memory that all threads share. */
export interface KeyTable extends TextTable<SharedArrayBuffer> {
  /** Above every segment's number. */
  readonly segments: number;
}

const delimiter = /[,\t]/;

/** The table of a map from key to the number of its segment. */
export function buildKeyTable(keys: ReadonlyMap<string, number>): KeyTable {
  // A key that is no well-formed text cannot stand in a file; encoded, it would pass for another.
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
    // Such a key stands in a cell only in quotes. The straight path, which knows no quotes, is
    // spared the search for delimiters by not finding it.
    const entered = delimiter.test(key) ? onlyQuoted(number) : number;
    addText(table, viewOf(key), 0, length, entered, offset);
    offset += wordsIn(length);
  }
  return table;
}

function sharedWords(length: number): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
}

/** What a key is entered with that must be quoted: below `notFound`. Undone by itself. */
export function onlyQuoted(number: number): number {
  return notFound - 1 - number;
}

/** The segment of a key, by its exact characters. */
export function segmentOfKey(table: KeyTable, key: string): number | undefined {
  const found = findText(table, viewOf(key), 0, Buffer.byteLength(key));
  if (found === notFound) return undefined;
  return found < notFound ? onlyQuoted(found) : found;
}
