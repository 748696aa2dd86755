import { headerNumber, inPlace, wordsPerDevice } from '../../domain/row-batch.ts';
import type { ChunkCursor } from './chunk-cursor.ts';
import { type FastKeys, takeKeys } from './fast-keys.ts';
import { type FastLabel, takeLabel } from './fast-label.ts';
import { hexPairs, idCharacters, notHex } from './hex-pairs.ts';

// Not imported from ascii.ts: with imported constants a chunk took about 4% longer.
const quote = 0x22;
const dash = 0x2d;

/**
 * The second fast path. It takes a line with texts of any length, new labels and quoted cells.
 * Returns false, with the cursor unchanged, if it cannot take the line.
 */
export function takeFastLine(
  cursor: ChunkCursor,
  keys: FastKeys | null,
  label: FastLabel | null,
): boolean {
  const { bytes, at, line, word, words } = cursor;
  const isQuoted = bytes[at] === quote;
  const id = isQuoted ? at + 1 : at;
  if (!takeIdentifier(cursor, id)) return false;
  if (isQuoted && bytes[id + idCharacters] !== quote) return false;
  const idEnd = isQuoted ? id + idCharacters + 1 : id + idCharacters;
  const next = keys ? takeKeys(keys, idEnd, word) : label ? takeLabel(label, idEnd, word, line) : 0;
  if (next === 0) return false;
  const header = words[word + wordsPerDevice]!;
  cursor.at = next;
  cursor.line++;
  cursor.rows++;
  cursor.word += wordsPerDevice + 1;
  if ((header & inPlace) === 0) cursor.word += header & headerNumber;
  return true;
}

/** Loads four characters at a time, because each group of an identifier has a multiple of four. */
function takeIdentifier({ bytes, view, words, word }: ChunkCursor, at: number): boolean {
  const a = fourDigits(view.getInt32(at, true));
  const b = fourDigits(view.getInt32(at + 4, true));
  const c = fourDigits(view.getInt32(at + 9, true));
  const d = fourDigits(view.getInt32(at + 14, true));
  const e = fourDigits(view.getInt32(at + 19, true));
  const f = fourDigits(view.getInt32(at + 24, true));
  const g = fourDigits(view.getInt32(at + 28, true));
  const h = fourDigits(view.getInt32(at + 32, true));
  const every = a | b | c | d | e | f | g | h;
  if (every < 0 || every === 0) return false;
  if (bytes[at + 8] !== dash || bytes[at + 13] !== dash) return false;
  if (bytes[at + 18] !== dash || bytes[at + 23] !== dash) return false;
  words[word] = (a << 16) | b;
  words[word + 1] = (c << 16) | d;
  words[word + 2] = (e << 16) | f;
  words[word + 3] = (g << 16) | h;
  return true;
}

/** The two bytes written as four hex digits; negative for anything else. */
function fourDigits(characters: number): number {
  const high = hexPairs[characters & 0xffff]!;
  const low = hexPairs[characters >>> 16]!;
  return (high | low) >= notHex ? -1 : (high << 8) | low;
}
