import { inPlace, removal, wordsPerDevice } from '../../domain/row-batch.ts';
import { maximumLineBytes } from '../report/faults.ts';
import type { ChunkCursor } from './chunk-cursor.ts';
import { hexPairs, idCharacters, notHex } from './hex-pairs.ts';
import type { SegmentMarks } from './segment-marks.ts';
import { hashShort, type TextTable, wordsPerSlot } from './text-table.ts';
import { bytesBefore, firstBytes, flagByte, flagControls } from './text-words.ts';

/** What the lines must look like. */
export interface ShortTextRows {
  readonly columns: number;
  readonly delimiter: number;
  /** The byte that ends a text, four times: the delimiter after a label, `|` after a key. */
  readonly separators: number;
  readonly mayRemove: boolean;
  readonly table: TextTable;
  /** For rows with keys: which segments a row has named. Null for rows with a label. */
  readonly marks: SegmentMarks | null;
  /** For rows with labels: the number of rows per label. */
  readonly counts: Uint32Array | null;
}

// Not imported from ascii.ts: with imported constants the loop took 6 to 11% longer.
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const dash = 0x2d;
const zero = 0x30;
const one = 0x31;
const three = 0x33;
const lowerCase = 0x20;
const letterA = 0x61;
const letterZ = 0x7a;
const bar = 0x7c;
const none = new Uint32Array();

/**
 * The first fast path. Nearly all lines have a plain identifier and short texts that are in the
 * table. It takes such lines until the first other line and returns whether it took any.
 *
 * One function without calls in its loop, so that V8 keeps the arrays in registers. With a call per
 * part of a line, ten million rows of five keys took 3.1 s instead of 1.8 s.
 */
export function takeShortTextLines(cursor: ChunkCursor, rows: ShortTextRows): boolean {
  const { bytes, view, end, words } = cursor;
  const { table, columns, delimiter, separators, mayRemove, marks, counts } = rows;
  const { seed, short } = table;
  const mask = short.length - 1;
  const pairs = hexPairs;
  const isKeyed = marks !== null;
  const tally = marks?.marked ?? counts ?? none;
  const isLong = columns !== 2;
  const toText = idCharacters + (isLong ? 8 : 1);
  let { at, word } = cursor;
  let mark = marks?.mark ?? 0;
  let taken = 0;
  lines: for (; at < end; taken++) {
    const a = view.getInt32(at, true);
    const b = view.getInt32(at + 4, true);
    const c = view.getInt32(at + 9, true);
    const d = view.getInt32(at + 14, true);
    const e = view.getInt32(at + 19, true);
    const f = view.getInt32(at + 24, true);
    const g = view.getInt32(at + 28, true);
    const h = view.getInt32(at + 32, true);
    const a0 = pairs[a & 0xffff]!;
    const a1 = pairs[a >>> 16]!;
    const b0 = pairs[b & 0xffff]!;
    const b1 = pairs[b >>> 16]!;
    const c0 = pairs[c & 0xffff]!;
    const c1 = pairs[c >>> 16]!;
    const d0 = pairs[d & 0xffff]!;
    const d1 = pairs[d >>> 16]!;
    const e0 = pairs[e & 0xffff]!;
    const e1 = pairs[e >>> 16]!;
    const f0 = pairs[f & 0xffff]!;
    const f1 = pairs[f >>> 16]!;
    const g0 = pairs[g & 0xffff]!;
    const g1 = pairs[g >>> 16]!;
    const h0 = pairs[h & 0xffff]!;
    const h1 = pairs[h >>> 16]!;
    const every = a0 | a1 | b0 | b1 | c0 | c1 | d0 | d1 | e0 | e1 | f0 | f1 | g0 | g1 | h0 | h1;
    const dashes =
      (bytes[at + 8]! ^ dash) |
      (bytes[at + 13]! ^ dash) |
      (bytes[at + 18]! ^ dash) |
      (bytes[at + 23]! ^ dash);
    if (dashes !== 0 || every >= notHex || every === 0) break;
    words[word] = (a0 << 24) | (a1 << 16) | (b0 << 8) | b1;
    words[word + 1] = (c0 << 24) | (c1 << 16) | (d0 << 8) | d1;
    words[word + 2] = (e0 << 24) | (e1 << 16) | (f0 << 8) | f1;
    words[word + 3] = (g0 << 24) | (g1 << 16) | (h0 << 8) | h1;

    const start = at + toText;
    let sign = 0;
    if (isLong) {
      // The middle cells have one, two and one characters: `,1,DE,0,`.
      const idType = bytes[start - 7];
      const first = bytes[start - 5]! | lowerCase;
      const second = bytes[start - 4]! | lowerCase;
      const operation = bytes[start - 2];
      if (bytes[start - 8] !== delimiter || bytes[start - 6] !== delimiter) break;
      if (bytes[start - 3] !== delimiter || (idType !== one && idType !== three)) break;
      if (first < letterA || first > letterZ || second < letterA || second > letterZ) break;
      if (operation === one && mayRemove) sign = removal;
      else if (operation !== zero) break;
    }
    if (bytes[start - 1] !== delimiter) break;
    if (bytes[start] === quote || bytes[start] === space) break;

    const header = word + wordsPerDevice;
    let last = header;
    let number = 0;
    let stop = start;
    mark++;
    for (;;) {
      const from = stop;
      let x = view.getInt32(from, true);
      let y = 0;
      let z = 0;
      let flags = flagControls(x) | flagByte(x, separators);
      if (flags !== 0) {
        stop = from + bytesBefore(flags);
        x = firstBytes(x, stop - from);
      } else {
        y = view.getInt32(from + 4, true);
        flags = flagControls(y) | flagByte(y, separators);
        if (flags !== 0) {
          stop = from + 4 + bytesBefore(flags);
          y = firstBytes(y, stop - from - 4);
        } else {
          z = view.getInt32(from + 8, true);
          flags = flagControls(z) | flagByte(z, separators);
          if (flags === 0) break lines;
          stop = from + 8 + bytesBefore(flags);
          z = firstBytes(z, stop - from - 8);
        }
      }
      if (stop > from) {
        let slot = (hashShort(seed, x, y, z) << 2) & mask;
        while (short[slot] !== x || short[slot + 1] !== y || short[slot + 2] !== z) {
          if (short[slot] === 0) break lines;
          slot = (slot + wordsPerSlot) & mask;
        }
        number = short[slot + 3]!;
        // A key that contains a delimiter must be quoted.
        if (number < 0) break lines;
        if (!isKeyed) last++;
        else if (tally[number] !== mark) {
          tally[number] = mark;
          words[++last] = number;
        }
      }
      if (!isKeyed || bytes[stop] !== bar) break;
      stop++;
    }
    const feed = bytes[stop] === carriageReturn ? stop + 1 : stop;
    if (bytes[feed] !== lineFeed || bytes[stop - 1] === space) break;
    if (stop - at > maximumLineBytes) break;
    const count = last - header;
    if (!isKeyed) {
      words[header] = count === 0 ? 0 : inPlace | number;
      if (count !== 0) tally[number]!++;
      word += wordsPerDevice + 1;
    } else {
      if (count === 0) break;
      words[header] = sign | (count === 1 ? inPlace | number : count);
      word = count === 1 ? last : last + 1;
    }
    at = feed + 1;
  }
  if (marks) marks.mark = mark;
  cursor.at = at;
  cursor.word = word;
  cursor.line += taken;
  cursor.rows += taken;
  return taken > 0;
}
