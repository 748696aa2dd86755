/** The distribution and the order of the devices in a file. */
export type Shape = 'uniform' | 'shared_prefix' | 'ascending' | 'descending' | 'equal';

export const hostileShapes: readonly Shape[] = [
  'shared_prefix',
  'ascending',
  'descending',
  'equal',
];

/**
 * Writes device `index` of `count` as four words. The same index, shape and count always give the
 * same device; different indexes give different devices, unless the shape is `equal`.
 */
export function fillDevice(words: Uint32Array, shape: Shape, index: number, count: number): void {
  words[0] = mix(index);
  words[1] = mix(index ^ 0x5bd1_e995);
  words[2] = mix(index ^ 0x2745_937f);
  words[3] = mix(index ^ 0x1656_67b1);
  switch (shape) {
    case 'uniform':
      return;
    case 'shared_prefix':
      words[3] = words[0];
      words[0] = 0x7d1a_33c0;
      words[1] = 0x9e6b_0210 | (words[1] & 0xf);
      return;
    case 'ascending':
      words[0] = Math.floor((index / count) * 2 ** 32);
      return;
    case 'descending':
      words[0] = Math.floor(((count - 1 - index) / count) * 2 ** 32);
      return;
    case 'equal':
      words.fill(0x3f25_04e0);
  }
}

/** Murmur3's finalizer: a bijection whose results look random. */
export function mix(number: number): number {
  let hash = number ^ (number >>> 16);
  hash = Math.imul(hash, 0x85eb_ca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
