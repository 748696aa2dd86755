import { wordsPerDevice } from '../../../../domain/row-batch.ts';
import { compareDevices } from '../../devices/device-words.ts';
import { type PageIndex, wordsPerSpan } from '../../file/page-index.ts';
import type { PageReader } from '../../file/page-reader.ts';
import { pageReaching, type ReadableRun } from '../../file/readable-run.ts';

/**
 * Returns the devices (ascending) that the run does not hold, moved to the front of the same memory.
 * It reads only pages whose span contains a device, so few devices need few pages.
 */
export function subtractRun(
  devices: Uint32Array,
  run: ReadableRun,
  reader: PageReader,
): Uint32Array {
  const { index } = run;
  let kept = 0;
  visitPages(devices, index, 0, index.pages, (from, to, page) => {
    if (page !== null) kept = keepMissing(devices, from, to, reader.readPage(run, page), kept);
    else {
      devices.copyWithin(kept, from, to);
      kept += to - from;
    }
  });
  return devices.subarray(0, kept);
}

/**
 * Visits the devices (ascending) in slices: `page` is the page whose span contains the slice, or null
 * if no page does.
 */
export function visitPages(
  devices: Uint32Array,
  index: PageIndex,
  firstPage: number,
  endPage: number,
  visit: (from: number, to: number, page: number | null) => void,
): void {
  let next = 0;
  for (let page = firstPage; next < devices.length; page++) {
    page = pageReaching(index, page, devices, next);
    if (page >= endPage) break;
    const span = page * wordsPerSpan;
    const from = gallop(devices, next, devices.length, index.spans, span);
    if (from > next) visit(next, from, null);
    next = from;
    if (next === devices.length) return;
    const last = span + wordsPerDevice;
    if (compareDevices(devices, next, index.spans, last) > 0) continue;
    let to = gallop(devices, next, devices.length, index.spans, last);
    if (to < devices.length && compareDevices(devices, to, index.spans, last) === 0)
      to += wordsPerDevice;
    visit(next, to, page);
    next = to;
  }
  if (next < devices.length) visit(next, devices.length, null);
}

/** Moves the devices missing from `held` to position `kept`; returns their end. All are in its span. */
function keepMissing(
  devices: Uint32Array,
  from: number,
  to: number,
  held: Uint32Array,
  kept: number,
): number {
  const word = firstDifferingWord(held);
  const span = held[held.length - wordsPerDevice + word]! - held[word]!;
  const devicesPerUnit = held.length / wordsPerDevice / Math.max(1, span);
  let end = kept;
  let at = 0;
  for (let next = from; next < to; next += wordsPerDevice) {
    // Interpolates the position, as if the devices were distributed evenly.
    const ahead = (devices[next + word]! - held[at + word]!) * devicesPerUnit;
    const guess = at + (Math.max(0, ahead) << 2);
    at = seek(held, at, Math.min(guess, held.length - wordsPerDevice), devices, next);
    if (compareDevices(held, at, devices, next) === 0) continue;
    if (end !== next) {
      devices[end] = devices[next]!;
      devices[end + 1] = devices[next + 1]!;
      devices[end + 2] = devices[next + 2]!;
      devices[end + 3] = devices[next + 3]!;
    }
    end += wordsPerDevice;
  }
  return end;
}

/** The first word in which the first and the last of ascending devices differ. */
function firstDifferingWord(devices: Uint32Array): number {
  const last = devices.length - wordsPerDevice;
  let word = 0;
  while (word < wordsPerDevice - 1 && devices[word] === devices[last + word]) word++;
  return word;
}

/** How far to search linearly around a guess: 16 devices. */
const nearby = 16 * wordsPerDevice;

/** Same result as `gallop` from `low`, but starts near a guess. A bad guess costs little. */
function seek(
  held: Uint32Array,
  low: number,
  guess: number,
  devices: Uint32Array,
  next: number,
): number {
  const firstWord = devices[next]!;
  let at = guess;
  if (isBelow(held, at, firstWord, devices, next)) {
    const near = Math.min(at + nearby, held.length);
    do at += wordsPerDevice;
    while (at < near && isBelow(held, at, firstWord, devices, next));
    return at < near ? at : gallop(held, at, held.length, devices, next);
  }
  const near = Math.max(at - nearby, low);
  while (at > near && !isBelow(held, at - wordsPerDevice, firstWord, devices, next)) {
    at -= wordsPerDevice;
  }
  return at > near ? at : gallop(held, low, at, devices, next);
}

/** Marks devices that are also on a list, both ascending. It looks up the shorter in the longer. */
export function markShared(
  devices: Uint32Array,
  marks: Uint8Array,
  list: Uint32Array,
  mark: number,
): void {
  const areFewer = devices.length < list.length;
  const [fewer, more] = areFewer ? [devices, list] : [list, devices];
  const step = stepFor(more.length, fewer.length);
  let at = 0;
  for (let next = 0; next < fewer.length; next += wordsPerDevice) {
    at = gallop(more, at, more.length, fewer, next, step);
    if (at === more.length) return;
    if (compareDevices(more, at, fewer, next) !== 0) continue;
    marks[(areFewer ? next : at) / wordsPerDevice] = mark;
  }
}

/**
 * Finds the first device, from `from` to before `end`, that is not below `bounds[boundAt]`. Doubling
 * steps (an exponential search) find it fast whether it is near or far.
 */
function gallop(
  devices: Uint32Array,
  from: number,
  end: number,
  bounds: Uint32Array,
  boundAt: number,
  firstStep = wordsPerDevice,
): number {
  const firstWord = bounds[boundAt]!;
  let low = from;
  let high = end;
  for (let step = firstStep; low + step <= high; step *= 2) {
    const at = low + step - wordsPerDevice;
    if (isBelow(devices, at, firstWord, bounds, boundAt)) low = at + wordsPerDevice;
    else {
      high = at;
      break;
    }
  }
  while (low < high) {
    const at = ((low + high) >>> 1) & -wordsPerDevice;
    if (isBelow(devices, at, firstWord, bounds, boundAt)) low = at + wordsPerDevice;
    else high = at;
  }
  return low;
}

/** The average distance, in words, between lookups: the first step of a search. */
function stepFor(there: number, lookedUp: number): number {
  const between = Math.max(1, there / lookedUp);
  return 2 ** Math.floor(Math.log2(between)) * wordsPerDevice;
}

function isBelow(
  devices: Uint32Array,
  at: number,
  firstWord: number,
  bounds: Uint32Array,
  boundAt: number,
): boolean {
  const word = devices[at]!;
  return word === firstWord ? compareDevices(devices, at, bounds, boundAt) < 0 : word < firstWord;
}
