import { compareDevices, wordsPerDevice } from './device-words.ts';

/** Devices from `from` (inclusive) until `until` (exclusive). Null means unbounded. */
export interface DeviceRange {
  readonly from: Uint32Array | null;
  readonly until: Uint32Array | null;
}

export const everywhere: DeviceRange = { from: null, until: null };

/** Cuts a range at ascending bounds within it. */
export function rangesBetween(bounds: Uint32Array, whole: DeviceRange): DeviceRange[] {
  const ranges: DeviceRange[] = [];
  let { from } = whole;
  for (let at = 0; at < bounds.length; at += wordsPerDevice) {
    const until = bounds.slice(at, at + wordsPerDevice);
    ranges.push({ from, until });
    from = until;
  }
  return [...ranges, { from, until: whole.until }];
}

/**
 * Binary search among ascending devices `stride` words apart, from word `begin` to before `end`.
 * Returns the position of the first device that is not below the bound.
 */
export function bisect(
  words: Uint32Array,
  begin: number,
  end: number,
  stride: number,
  bound: Uint32Array,
  boundAt = 0,
): number {
  let low = 0;
  let high = (end - begin) / stride;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareDevices(words, begin + middle * stride, bound, boundAt) < 0) low = middle + 1;
    else high = middle;
  }
  return begin + low * stride;
}
