import { wordsPerDevice } from '../row-batch.ts';

const digits = 32;

/** A digest is stored as the first half of a SHA-256, so that it has the size of a device. */
export const digestBytes = 16;

/**
 * The form of an identifier whose SHA-256 stands for it: its hexadecimal digits in lower case, without
 * hyphens, braces or white space. Null if these are not exactly 32.
 */
export function standardId(text: string): string | null {
  const standard = text.toLowerCase().replaceAll(/[^0-9a-f]/g, '');
  return standard.length === digits ? standard : null;
}

/** The packed words of 32 hexadecimal digits: of a standard identifier, or of the start of a digest. */
export function wordsOfHex(hex: string): Uint32Array {
  return Uint32Array.from({ length: wordsPerDevice }, (_, word) =>
    Number.parseInt(hex.slice(word * 8, word * 8 + 8), 16),
  );
}

/** The 32 digits of the device or digest at that position of packed words. */
export function hexOfWords(words: Uint32Array, at: number): string {
  const hex = (word: number) => word.toString(16).padStart(8, '0');
  return Array.from(words.subarray(at, at + wordsPerDevice), hex).join('');
}

const spelling = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/gi;

/** The text with an ellipsis in place of each identifier. */
export function withoutIdentifiers(text: string): string {
  return text.replaceAll(spelling, '…');
}

/** Every identifier in a text, with or without hyphens, as a standard one. */
export function identifiersIn(text: string): string[] {
  return (text.match(spelling) ?? []).map((found) => standardId(found)!);
}
