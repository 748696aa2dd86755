/**
 * Ascending devices, each with a list of numbers. The lists follow one another as in a file: the
 * list's length in bytes, in two halves with the lower first, then its numbers.
 */
export interface ProfileBatch {
  readonly devices: Uint32Array;
  readonly lists: Uint16Array;
}

export const numbersPerLength = 2;

/** How many numbers the list that begins at `at` takes, including its length. */
export function numbersAt(lists: Uint16Array, at: number): number {
  return numbersPerLength + (lists[at]! + lists[at + 1]! * 2 ** 16) / 2;
}

/** Sets the length of the list that begins at `begin` and ends before `end`. */
export function setLength(lists: Uint16Array, begin: number, end: number): void {
  const bytes = (end - begin - numbersPerLength) * Uint16Array.BYTES_PER_ELEMENT;
  lists[begin] = bytes;
  lists[begin + 1] = bytes / 2 ** 16;
}
