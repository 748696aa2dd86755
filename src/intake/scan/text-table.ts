import { randomInt } from 'node:crypto';
import {
  bytesBefore,
  firstBytes,
  flagByte,
  flagControls,
  isSameText,
  wordOf,
  wordsIn,
} from './text-words.ts';

/**
 * Maps texts to numbers. Open addressing in slots of four words, at most a quarter of them used.
 * Short texts are stored in the slots, which made lookups twice as fast.
 */
export interface TextTable<Memory extends ArrayBufferLike = ArrayBufferLike> {
  /** The hash seed. It is random per table, so that nobody can construct collisions. */
  readonly seed: number;
  /** Slots of texts up to 11 bytes: three words of text (0 first if free) and the number. */
  readonly short: Int32Array<Memory>;
  /** Slots of longer texts: hash, offset in `text`, length in bytes (0 if free) and the number. */
  readonly long: Int32Array<Memory>;
  /** The words of the texts. */
  readonly text: Int32Array<Memory>;
}

/** The bytes to search, and the end of the text that was looked up last. */
export interface TextCursor {
  readonly view: DataView;
  textEnd: number;
}

export const notFound = -1;

export const wordsPerSlot = 4;
const shortBytes = 11;

export function tableSeed(): number {
  return randomInt(1, 0x7fff_ffff);
}

/** The words that the slots of that many texts need. */
export function slotWords(texts: number): number {
  return 2 ** Math.ceil(Math.log2(4 * texts + 1)) * wordsPerSlot;
}

/**
 * The number of the text at `start`, or `notFound`. The text ends before a control character or one
 * of two separators, given as repeated bytes. Sets `textEnd` of the cursor.
 */
export function findNext(
  { seed, short, long, text }: TextTable,
  cursor: TextCursor,
  start: number,
  separators: number,
  others: number,
): number {
  const { view } = cursor;
  let stop = start;
  let flags = 0;
  for (;;) {
    const word = view.getInt32(stop, true);
    flags = flagControls(word) | flagByte(word, separators) | flagByte(word, others);
    if (flags !== 0) break;
    stop += 4;
  }
  stop += bytesBefore(flags);
  cursor.textEnd = stop;
  const length = stop - start;
  if (length > shortBytes) return findLong(long, text, seed, view, start, length);
  const a = wordOf(view, start, length, 0);
  const b = wordOf(view, start, length, 1);
  const c = wordOf(view, start, length, 2);
  return length === 0 ? notFound : findShort(short, seed, a, b, c);
}

function findShort(slots: Int32Array, seed: number, a: number, b: number, c: number): number {
  const mask = slots.length - 1;
  let at = (hashShort(seed, a, b, c) << 2) & mask;
  while (slots[at] !== a || slots[at + 1] !== b || slots[at + 2] !== c) {
    if (slots[at] === 0) return notFound;
    at = (at + wordsPerSlot) & mask;
  }
  return slots[at + 3]!;
}

function findLong(
  slots: Int32Array,
  text: Int32Array,
  seed: number,
  view: DataView,
  start: number,
  length: number,
): number {
  const mask = slots.length - 1;
  const hash = hashLong(seed, view, start, length);
  let at = (hash << 2) & mask;
  for (;;) {
    const found = slots[at + 2]!;
    if (found === 0) return notFound;
    if (found === length && slots[at] === hash) {
      if (isSameText(text, slots[at + 1]!, view, start, length)) return slots[at + 3]!;
    }
    at = (at + wordsPerSlot) & mask;
  }
}

export function hashShort(seed: number, a: number, b: number, c: number): number {
  const hash =
    Math.imul(a ^ seed, 0x9e37_79b1) ^
    Math.imul(b ^ seed, 0x85eb_ca6b) ^
    Math.imul(c ^ seed, 0xc2b2_ae35);
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  // Multiplication only moves bits up. This brings them down to the bits that choose the slot.
  return mixed ^ (mixed >>> 15);
}

function hashLong(seed: number, view: DataView, start: number, length: number): number {
  const last = start + (length & ~3);
  let hash = seed;
  for (let at = start; at < last; at += 4) hash = hashWord(hash, view.getInt32(at, true));
  const rest = length & 3;
  return rest === 0 ? hash : hashWord(hash, firstBytes(view.getInt32(last, true), rest));
}

function hashWord(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e37_79b1);
  return product ^ (product >>> 15);
}

/** The number of the text of `length` bytes at `start`, or `notFound`. */
export function findText(table: TextTable, view: DataView, start: number, length: number): number {
  if (length === 0) return notFound;
  if (!isShort(view, start, length)) {
    return findLong(table.long, table.text, table.seed, view, start, length);
  }
  const a = wordOf(view, start, length, 0);
  const b = wordOf(view, start, length, 1);
  const c = wordOf(view, start, length, 2);
  return findShort(table.short, table.seed, a, b, c);
}

/** Adds a new text. Its words are stored at `offset` of `text`, also if it is short. */
export function addText(
  { seed, short, long, text }: TextTable,
  view: DataView,
  start: number,
  length: number,
  number: number,
  offset: number,
): void {
  const words = wordsIn(length);
  for (let i = 0; i < words; i++) text[offset + i] = wordOf(view, start, length, i);
  if (isShort(view, start, length)) {
    const a = wordOf(view, start, length, 0);
    const b = wordOf(view, start, length, 1);
    const c = wordOf(view, start, length, 2);
    const slot = freeSlot(short, hashShort(seed, a, b, c), 0);
    short[slot] = a;
    short[slot + 1] = b;
    short[slot + 2] = c;
    short[slot + 3] = number;
  } else {
    const hash = hashLong(seed, view, start, length);
    const slot = freeSlot(long, hash, 2);
    long[slot] = hash;
    long[slot + 1] = offset;
    long[slot + 2] = length;
    long[slot + 3] = number;
  }
}

/** `place` is the word of a slot that is 0 if the slot is free. */
function freeSlot(slots: Int32Array, hash: number, place: number): number {
  const mask = slots.length - 1;
  let slot = (hash << 2) & mask;
  while (slots[slot + place] !== 0) slot = (slot + wordsPerSlot) & mask;
  return slot;
}

/** A short text must not contain NUL: with one at its end it would equal a shorter text. */
function isShort(view: DataView, start: number, length: number): boolean {
  if (length > shortBytes) return false;
  for (let at = start; at < start + length; at++) if (view.getUint8(at) === 0) return false;
  return true;
}
