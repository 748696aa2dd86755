/** Characters of an identifier, including the dashes. */
export const idCharacters = 36;

export const notHex = 0x8000;

/**
 * Maps two characters, as one little-endian number, to the byte they encode, or to `notHex`.
 * The entries of hex digits are in only 66 cache lines.
 */
export const hexPairs = buildHexPairs();

function buildHexPairs(): Uint16Array {
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
