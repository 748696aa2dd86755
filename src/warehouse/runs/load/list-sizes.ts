/** The sizes of the lists in a piece, which are stored one after the other. */
export interface ListSizes {
  /** How many devices the list has. */
  size(list: number): number;
  /** How many devices the lists before it have. */
  start(list: number): number;
  readonly bytes: number;
}

/** More would make `start` slow, fewer would take more memory. */
const listsPerStart = 32;

/**
 * Keeps a start for some lists only, and sizes in as few bytes as the largest one needs. With 10,000
 * segments a large load has 10,000 lists in each of thousands of pieces, and most of them are short.
 */
export function createListSizes(counts: Uint32Array): ListSizes {
  const largest = counts.reduce((most, count) => Math.max(most, count), 0);
  const ArrayOfSizes =
    largest < 2 ** 8 ? Uint8Array : largest < 2 ** 16 ? Uint16Array : Uint32Array;
  const sizes = new ArrayOfSizes(counts);
  const starts = new Uint32Array(Math.ceil(counts.length / listsPerStart));
  let total = 0;
  for (let list = 0; list < counts.length; list++) {
    if (list % listsPerStart === 0) starts[list / listsPerStart] = total;
    total += counts[list]!;
  }
  return {
    size: (list) => sizes[list]!,
    start(list) {
      const first = list - (list % listsPerStart);
      let start = starts[first / listsPerStart]!;
      for (let before = first; before < list; before++) start += sizes[before]!;
      return start;
    },
    bytes: sizes.byteLength + starts.byteLength,
  };
}
