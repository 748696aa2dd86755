import { compareDevices, wordsPerDevice } from './device-words.ts';

/** Devices from one, itself included, until another, itself excluded; null is no bound. */
export interface DeviceRange {
  readonly from: Uint32Array | null;
  readonly until: Uint32Array | null;
}

export const everywhere: DeviceRange = { from: null, until: null };

/** Cuts a range at bounds that lie in it and ascend, one device after the other. */
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
 * Of ascending devices that stand `stride` words apart, from position `begin` to before `end`: the
 * position of the first that is not below the bound. Positions are those of words.
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
