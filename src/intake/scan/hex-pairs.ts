/** Characters of an identifier in its usual form, dashes included. */
export const idCharacters = 36;

export const notHex = 0x8000;

/**
 * Two characters, as one little-endian number, → the byte that they stand for, or `notHex`. Those
 * of hex digits lie in 66 lines of the cache, so that the table takes little of it.
 */
export const hexPairs = tableOfPairs();

function tableOfPairs(): Uint16Array {
  const pairs = new Uint16Array(0x1_0000).fill(notHex);
  const digits = '0123456789abcdefABCDEF';
  for (const high of digits) {
    for (const low of digits) {
      const characters = high.charCodeAt(0) | (low.charCodeAt(0) << 8);
      pairs[characters] = Number.parseInt(high + low, 16);
    }
  }
  return pairs;
}
