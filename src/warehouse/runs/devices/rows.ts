import { headerNumber, inPlace, wordsPerDevice } from '../../../domain/row-batch.ts';

/** Words of a row without a list: its device and its header. */
export const wordsPerRow = wordsPerDevice + 1;

/** The first of several devices, and all bits in which any other differs from it. */
export interface Difference {
  readonly first: Uint32Array;
  readonly bits: Uint32Array;
}

/** Writes where each row begins to `positions`; returns the number of rows and their difference. */
export function indexRows(
  rows: Uint32Array,
  positions: Uint32Array,
): { count: number; difference: Difference } {
  const first = rows.slice(0, wordsPerDevice);
  const [a, b, c, d] = first as unknown as [number, number, number, number];
  let bitsA = 0;
  let bitsB = 0;
  let bitsC = 0;
  let bitsD = 0;
  let count = 0;
  for (let at = 0; at < rows.length; ) {
    positions[count++] = at;
    bitsA |= rows[at]! ^ a;
    bitsB |= rows[at + 1]! ^ b;
    bitsC |= rows[at + 2]! ^ c;
    bitsD |= rows[at + 3]! ^ d;
    const header = rows[at + wordsPerDevice]!;
    at += wordsPerRow + ((header & inPlace) !== 0 ? 0 : header & headerNumber);
  }
  return { count, difference: { first, bits: Uint32Array.of(bitsA, bitsB, bitsC, bitsD) } };
}

/** The difference of rows without lists, which may be in several chunks. */
export function differenceOfShort(chunks: readonly Uint32Array[]): Difference {
  return joinDifferences(chunks.map(differenceOfChunk));
}

function differenceOfChunk(rows: Uint32Array): Difference {
  const first = rows.slice(0, wordsPerDevice);
  const [a, b, c, d] = first as unknown as [number, number, number, number];
  let bitsA = 0;
  let bitsB = 0;
  let bitsC = 0;
  let bitsD = 0;
  for (let at = 0; at < rows.length; at += wordsPerRow) {
    bitsA |= rows[at]! ^ a;
    bitsB |= rows[at + 1]! ^ b;
    bitsC |= rows[at + 2]! ^ c;
    bitsD |= rows[at + 3]! ^ d;
  }
  return { first, bits: Uint32Array.of(bitsA, bitsB, bitsC, bitsD) };
}

/** The difference of the rows at `positions`, from `from` to before `to`. */
export function differenceOf(
  rows: Uint32Array,
  positions: Uint32Array,
  from: number,
  to: number,
): Difference {
  const start = positions[from]!;
  const first = rows.slice(start, start + wordsPerDevice);
  const [a, b, c, d] = first as unknown as [number, number, number, number];
  let bitsA = 0;
  let bitsB = 0;
  let bitsC = 0;
  let bitsD = 0;
  for (let i = from + 1; i < to; i++) {
    const at = positions[i]!;
    bitsA |= rows[at]! ^ a;
    bitsB |= rows[at + 1]! ^ b;
    bitsC |= rows[at + 2]! ^ c;
    bitsD |= rows[at + 3]! ^ d;
  }
  return { first, bits: Uint32Array.of(bitsA, bitsB, bitsC, bitsD) };
}

export function joinDifferences(differences: readonly Difference[]): Difference {
  const { first } = differences[0]!;
  const bits = new Uint32Array(wordsPerDevice);
  for (const other of differences) {
    for (let i = 0; i < wordsPerDevice; i++)
      bits[i]! |= other.bits[i]! | (other.first[i]! ^ first[i]!);
  }
  return { first, bits };
}

/** How many leading bits all devices share; 128 if they are equal. */
export function prefixBits({ bits }: Difference): number {
  for (let word = 0; word < wordsPerDevice; word++) {
    if (bits[word] !== 0) return word * 32 + Math.clz32(bits[word]!);
  }
  return wordsPerDevice * 32;
}
