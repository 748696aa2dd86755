// Text in words of four bytes, the first byte in the lowest bits. The last word is padded with zeros.

/** The same byte four times. */
export function repeated(byte: number): number {
  return Math.imul(byte, 0x0101_0101);
}

/** Flags bytes up to 0x0d: line endings, tabs and other control characters. */
export function flagControls(word: number): number {
  return (word - 0x0e0e_0e0e) & ~word & 0x8080_8080;
}

/** Flags one byte value, given as a repeated byte. Only the first flag of a word is reliable. */
export function flagByte(word: number, byte: number): number {
  const difference = word ^ byte;
  return (difference - 0x0101_0101) & ~difference & 0x8080_8080;
}

/** The number of bytes before the first flagged one. */
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

/** One word of a text of `length` bytes. Always loads four bytes, also past the end of the text. */
export function wordOf(view: DataView, start: number, length: number, index: number): number {
  const rest = length - index * 4;
  if (rest <= 0) return 0;
  const word = view.getInt32(start + index * 4, true);
  return rest < 4 ? firstBytes(word, rest) : word;
}

/** The UTF-8 bytes of a text, with padding for loads past its end. */
export function viewOf(text: string): DataView {
  const bytes = Buffer.from(`${text}\0\0\0`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Whether the `length` bytes at `start` equal the text whose words begin at `offset`. */
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
