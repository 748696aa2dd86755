import { wordsPerDevice } from './device-words.ts';

/**
 * How a device becomes a 32-bit hash. An ordered hash joins two bit fields of the device, so hashes
 * ascend with the devices; a mixed hash uses all bits. Subtracting `base` and shifting by `scale`
 * spreads devices that are close together over all hashes.
 */
export interface DeviceHash {
  readonly isMixed: boolean;
  readonly first: BitField;
  readonly second: BitField;
  readonly base: number;
  readonly scale: number;
  /** How many of the 2^32 hashes the devices can have. */
  readonly used: number;
}

/** `bits` bits of a word, which `shift` moves to its top. */
interface BitField {
  readonly word: number;
  readonly shift: number;
  readonly bits: number;
}

const wholeWord: BitField = { word: 0, shift: 0, bits: 32 };

export const mixedHash: DeviceHash = {
  isMixed: true,
  first: wholeWord,
  second: wholeWord,
  base: 0,
  scale: 0,
  used: 2 ** 32,
};

/**
 * The ordered hash for these devices, based on every `stride`th of them. It skips bits that all have
 * in common: a long prefix, and the version and variant of UUIDs.
 */
export function orderedHash(devices: Uint32Array, count: number, stride: number): DeviceHash {
  const differing = new Uint32Array(wordsPerDevice);
  for (let word = 0; word < wordsPerDevice; word++) {
    const one = devices[word]!;
    let bits = 0;
    for (let at = word; at < count * wordsPerDevice; at += stride * wordsPerDevice) {
      bits |= devices[at]! ^ one;
    }
    differing[word] = bits;
  }
  const first = nextField(differing, 0);
  const second = nextField(differing, endOf(first));
  const whole = { isMixed: false, first, second, base: 0, scale: 0, used: 2 ** 32 };
  return spreadOut(whole, devices, count, stride);
}

function spreadOut(
  hash: DeviceHash,
  devices: Uint32Array,
  count: number,
  stride: number,
): DeviceHash {
  let lowest = 2 ** 32 - 1;
  let highest = 0;
  for (let at = 0; at < count * wordsPerDevice; at += stride * wordsPerDevice) {
    const hashed = hashOf(hash, devices, at);
    lowest = Math.min(lowest, hashed);
    highest = Math.max(highest, hashed);
  }
  // A margin for devices that were not sampled.
  const margin = (highest - lowest) >>> 6;
  const base = Math.max(0, lowest - margin);
  const span = Math.min(highest + margin, 2 ** 32 - 1) - base;
  const scale = Math.clz32(span);
  // A signed number, which the loops subtract without converting to floating point.
  return { ...hash, base: base | 0, scale, used: (span + 1) * 2 ** scale };
}

/** The first field of differing bits within a word, at or after bit `from` of the device. */
function nextField(differing: Uint32Array, from: number): BitField {
  for (let word = from >>> 5; word < wordsPerDevice; word++) {
    const skipped = word === from >>> 5 ? from & 31 : 0;
    const bits = differing[word]! << skipped;
    if (bits === 0) continue;
    const shift = skipped + Math.clz32(bits);
    // The shift fills the word with zeros, so the field ends with the word at the latest.
    return { word, shift, bits: Math.clz32(~(differing[word]! << shift)) };
  }
  return { word: wordsPerDevice - 1, shift: 31, bits: 1 };
}

function endOf({ word, shift, bits }: BitField): number {
  return word * 32 + shift + bits;
}

/**
 * The parameters of a hash, in the form that loops over devices keep in registers. The second field
 * is shifted in two steps, because JavaScript ignores a shift by 32 bits.
 */
export interface HashSource {
  readonly words: Uint32Array;
  readonly begin: number;
  /** The distance between consecutive devices, in words. */
  readonly step: number;
  readonly firstWord: number;
  readonly firstShift: number;
  readonly firstMask: number;
  readonly secondWord: number;
  readonly secondShift: number;
  readonly behind: number;
  readonly base: number;
  readonly scale: number;
}

/** `mixed` has space for one word per device. */
export function hashSource(
  { isMixed, first, second, base, scale }: DeviceHash,
  words: Uint32Array,
  begin: number,
  end: number,
  mixed: Uint32Array,
): HashSource {
  if (isMixed) mix(words, begin, end, mixed);
  return {
    words: isMixed ? mixed : words,
    begin: isMixed ? 0 : begin,
    step: isMixed ? 1 : wordsPerDevice,
    firstWord: first.word,
    firstShift: first.shift,
    firstMask: -1 << (32 - first.bits),
    secondWord: second.word,
    secondShift: second.shift,
    behind: first.bits - 1,
    base,
    scale,
  };
}

function mix(words: Uint32Array, begin: number, end: number, mixed: Uint32Array): void {
  for (let at = begin, i = 0; at < end; at += 4, i++) {
    let hash = Math.imul(words[at]! ^ 0x3c6e_f372, 0x9e37_79b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ words[at + 1]!, 0x85eb_ca77);
    hash = Math.imul(hash ^ (hash >>> 13) ^ words[at + 2]!, 0xc2b2_ae3d);
    hash = Math.imul(hash ^ (hash >>> 15) ^ words[at + 3]!, 0x27d4_eb2f);
    hash = Math.imul(hash ^ (hash >>> 13), 0x1656_67b1);
    mixed[i] = hash ^ (hash >>> 16);
  }
}

/** The ordered hash of one device. */
function hashOf(hash: DeviceHash, words: Uint32Array, at: number): number {
  const { first, second, base, scale } = hash;
  const top = (words[at + first.word]! << first.shift) & (-1 << (32 - first.bits));
  const rest = ((words[at + second.word]! << second.shift) >>> 1) >>> (first.bits - 1);
  return (((top | rest) - base) << scale) >>> 0;
}
