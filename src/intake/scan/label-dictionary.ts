import { addText, findText, notFound, slotWords, type TextTable, tableSeed } from './text-table.ts';
import { viewOf, wordsIn } from './text-words.ts';

/** The labels of one chunk, in order of first occurrence. Copied between threads. */
export interface ChunkLabels {
  /** The labels' UTF-8 bytes, each label aligned to a four-byte word. */
  readonly text: Uint8Array;
  /** The word of `text` at which each label starts. */
  readonly offsets: Uint32Array;
  /** The bytes of each label. */
  readonly lengths: Uint32Array;
  /** The rows with each label. */
  readonly counts: Uint32Array;
  /** The first of those rows, as a line number within the chunk. */
  readonly firstLines: Uint32Array;
}

/** Numbers the labels of a chunk, starting at 0, and counts their rows. */
export interface LabelDictionary {
  /** Finds a label's number. Adding a label may replace the table. */
  readonly table: TextTable;
  /** Rows per label, incremented by the caller. */
  readonly counts: Uint32Array;
  /** The number of a label, which is added if it is new. */
  numberOf(label: string, line: number): number;
  /** Adds a new label, `length` bytes at `start`, and returns its number. */
  add(view: DataView, start: number, length: number, line: number): number;
  labels(): ChunkLabels;
  clear(): void;
}

interface LabelArrays extends ChunkLabels {
  readonly table: TextTable;
}

// An audience's limit is 1,000 labels. Files with more are rare and make the arrays grow.
const initialLabels = 1024;
const wordsPerLabel = 8;

export function createLabelDictionary(): LabelDictionary {
  const smallest = createLabelArrays(initialLabels, initialLabels * wordsPerLabel);
  let arrays = smallest;
  let size = 0;
  let used = 0;

  function add(view: DataView, start: number, length: number, line: number): number {
    const words = wordsIn(length);
    while (size === arrays.offsets.length || used + words > arrays.table.text.length) grow();
    addText(arrays.table, view, start, length, size, used);
    arrays.offsets[size] = used;
    arrays.lengths[size] = length;
    arrays.firstLines[size] = line;
    used += words;
    return size++;
  }

  function grow(): void {
    const { text, table, offsets, lengths, counts, firstLines } = arrays;
    const view = new DataView(text.buffer);
    const labels = size;
    arrays = createLabelArrays(2 * offsets.length, 2 * table.text.length);
    arrays.counts.set(counts);
    size = 0;
    used = 0;
    for (let label = 0; label < labels; label++) {
      add(view, offsets[label]! * 4, lengths[label]!, firstLines[label]!);
    }
  }

  return {
    get table() {
      return arrays.table;
    },
    get counts() {
      return arrays.counts;
    },
    add,
    numberOf(label, line) {
      const view = viewOf(label);
      const length = Buffer.byteLength(label);
      const found = findText(arrays.table, view, 0, length);
      return found === notFound ? add(view, 0, length, line) : found;
    },
    labels: () => ({
      text: arrays.text.slice(0, used * 4),
      offsets: arrays.offsets.slice(0, size),
      lengths: arrays.lengths.slice(0, size),
      counts: arrays.counts.slice(0, size),
      firstLines: arrays.firstLines.slice(0, size),
    }),
    clear() {
      if (size === 0) return;
      if (size <= initialLabels) arrays = smallest;
      arrays.table.short.fill(0);
      arrays.table.long.fill(0);
      arrays.counts.fill(0);
      size = 0;
      used = 0;
    },
  };
}

function createLabelArrays(labels: number, words: number): LabelArrays {
  const text = new Int32Array(words);
  const slots = slotWords(labels);
  const table = {
    seed: tableSeed(),
    short: new Int32Array(slots),
    long: new Int32Array(slots),
    text,
  };
  return {
    table,
    text: new Uint8Array(text.buffer),
    offsets: new Uint32Array(labels),
    lengths: new Uint32Array(labels),
    counts: new Uint32Array(labels),
    firstLines: new Uint32Array(labels),
  };
}
