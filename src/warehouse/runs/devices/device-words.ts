import { wordsPerDevice } from '../../../domain/row-batch.ts';

/**
 * In memory a device is four 32-bit words, the first bytes in the first word: numbers then compare
 * as the bytes do. A list of devices is one Uint32Array, and a position in it is that of a word.
 */
export { wordsPerDevice };

/** The bytes of devices as numbers, in place; and back. Native: 3 µs for the 64 KiB of a page. */
export function swapWords(words: Uint32Array): void {
  Buffer.from(words.buffer, words.byteOffset, words.byteLength).swap32();
}

export function decodeDevices(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / Uint32Array.BYTES_PER_ELEMENT);
  new Uint8Array(words.buffer).set(bytes);
  swapWords(words);
  return words;
}

export function encodeDevices(words: Uint32Array): Uint8Array {
  const swapped = words.slice();
  swapWords(swapped);
  return new Uint8Array(swapped.buffer);
}

/** Below, at or above zero, as the device at `atA` of `a` lies before, on or after that of `b`. */
export function compareDevices(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  for (let word = 0; word < wordsPerDevice; word++) {
    const difference = a[atA + word]! - b[atB + word]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
