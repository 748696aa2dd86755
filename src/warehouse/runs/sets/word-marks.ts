import { wordsPerDevice } from '../devices/device-words.ts';

/**
 * A bit for each of at most 65,536 equal intervals of first words, set if a device begins with one of
 * them. Most devices that a page does not hold have an unset bit. Reading the bit is faster than
 * comparing, because the processor cannot predict how a comparison ends.
 */
export interface WordMarks {
  readonly bits: Int32Array;
  /** The lowest first word. */
  readonly from: number;
  readonly shift: number;
}

const intervalBits = 16;

export function newWordMarks(): WordMarks {
  return { bits: new Int32Array(2 ** intervalBits / 32), from: 0, shift: 0 };
}

/** Marks the first words of ascending devices, in the memory of earlier marks. */
export function markWords({ bits }: WordMarks, devices: Uint32Array): WordMarks {
  const from = devices[0]!;
  const span = devices[devices.length - wordsPerDevice]! - from;
  const shift = Math.max(0, 32 - Math.clz32(span) - intervalBits);
  bits.fill(0);
  for (let at = 0; at < devices.length; at += wordsPerDevice) {
    const interval = (devices[at]! - from) >>> shift;
    bits[interval >>> 5]! |= 1 << (interval & 31);
  }
  return { bits, from, shift };
}

/** False if no device begins with this word, which is between the lowest and the highest. */
export function isMarked({ bits, from, shift }: WordMarks, word: number): boolean {
  const interval = (word - from) >>> shift;
  return ((bits[interval >>> 5]! >>> (interval & 31)) & 1) === 1;
}
