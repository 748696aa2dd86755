// Text four bytes at a time, the first in the lowest bits; the last word of a text ends in zeros.

/** The same byte four times. */
export function repeated(byte: number): number {
  return Math.imul(byte, 0x0101_0101);
}

/** Flags bytes up to a carriage return: the endings, the tab, and some that no usual text has. */
export function flagControls(word: number): number {
  return (word - 0x0e0e_0e0e) & ~word & 0x8080_8080;
}

/** Flags one byte, given repeated. Of several flags in a word only the first is sure. */
export function flagByte(word: number, byte: number): number {
  const difference = word ^ byte;
  return (difference - 0x0101_0101) & ~difference & 0x8080_8080;
}

/** How many bytes come before the first that is flagged. */
export function bytesBefore(flags: number): number {
  return (31 - Math.clz32(flags & -flags)) >>> 3;
}

/** The first bytes of a word, at most three. */
export function firstBytes(word: number, bytes: number): number {
  return word & ((1 << (bytes << 3)) - 1);
}

export function wordsIn(length: number): number {
  return (length + 3) >>> 2;
}

/** One of the words of a text of `length` bytes. Four bytes are loaded even if it has less. */
export function wordOf(view: DataView, start: number, length: number, index: number): number {
  const rest = length - index * 4;
  if (rest <= 0) return 0;
  const word = view.getInt32(start + index * 4, true);
  return rest < 4 ? firstBytes(word, rest) : word;
}

/** A text as a view of it, with what may be loaded past its end. */
export function viewOf(text: string): DataView {
  const bytes = Buffer.from(`${text}\0\0\0`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether `length` bytes from `start` on are the text whose words begin at `offset`. */
export function isSameText(
  words: Int32Array,
  offset: number,
  view: DataView,
  start: number,
  length: number,
): boolean {
  const last = start + (length & ~3);
  let word = offset;
  for (let at = start; at < last; at += 4) {
    if (words[word++] !== view.getInt32(at, true)) return false;
  }
  const rest = length & 3;
  return rest === 0 || words[word] === firstBytes(view.getInt32(last, true), rest);
}
