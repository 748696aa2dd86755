import { deviceBytes } from '../../domain/device-id.ts';

/**
 * In memory a device is four 32-bit words, the first bytes in the first word: numbers then compare
 * as the bytes do. A list of devices is one Uint32Array, and a position in it is that of a word.
 */
export const wordsPerDevice = 4;

const bytesPerWord = deviceBytes / wordsPerDevice;

export function decodeDevices(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / bytesPerWord);
  for (let word = 0, at = 0; word < words.length; word++, at += bytesPerWord) {
    words[word] = wordAt(bytes, at);
  }
  return words;
}

export function encodeDevices(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * bytesPerWord);
  for (let word = 0, at = 0; word < words.length; word++, at += bytesPerWord) {
    const value = words[word]!;
    bytes[at] = value >>> 24;
    bytes[at + 1] = value >>> 16;
    bytes[at + 2] = value >>> 8;
    bytes[at + 3] = value;
  }
  return bytes;
}

export function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  );
}

/** Below, at or above zero, as the device at `atA` of `a` lies before, on or after that of `b`. */
export function compareDevices(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  for (let word = 0; word < wordsPerDevice; word++) {
    const difference = a[atA + word]! - b[atB + word]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
