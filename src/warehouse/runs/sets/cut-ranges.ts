import type { DeviceRange } from '../devices/device-range.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import { createRowSorter } from '../devices/sort-rows.ts';
import { type PageIndex, pagesWithin, wordsPerSpan } from '../file/page-index.ts';
import type { ReadableRun } from '../file/readable-run.ts';

export interface RangesToCut {
  readonly runs: readonly ReadableRun[];
  readonly range: DeviceRange;
  readonly devicesPerRange: number;
}

/** Some devices of the runs. As objects, 65,536 samples would take 20 MB of a thread's heap. */
interface Samples {
  readonly devices: Uint32Array;
  /** About how many devices there are between each sample and the next one of its run. */
  readonly weights: Float64Array;
}

/** Above this number, only every n-th page of the runs is sampled. */
const maxSamples = 1 << 16;
const maxSamplesPerPage = 16;
/** The fractions of its multiples are spread evenly between 0 and 1. */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/**
 * Finds bounds that cut a range into parts of about `devicesPerRange` devices each. They come from
 * the page indexes, so the parts are similar in size however the devices are distributed.
 */
export function cutRanges({ runs, range, devicesPerRange }: RangesToCut): Uint32Array {
  const within = runs.map(({ index }) => ({ index, ...pagesWithin(index, range) }));
  const pages = within.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const stride = Math.max(1, Math.ceil(pages / maxSamples));
  // Pages of similar runs begin at about the same devices. Samples within a page are interpolated, at
  // a different offset for each run, so that bounds do not cluster.
  const perPage = Math.max(1, Math.min(maxSamplesPerPage, Math.floor(maxSamples / pages)));
  const count = within.reduce((sum, { begin, end }) => sum + Math.ceil((end - begin) / stride), 0);
  const samples: Samples = {
    // One more word, because the sorter reads the word after a device.
    devices: new Uint32Array(count * perPage * wordsPerDevice + 1),
    weights: new Float64Array(count * perPage),
  };
  let sample = 0;
  for (const [run, { index, begin, end }] of within.entries()) {
    const offset = (run * goldenRatio) % 1;
    for (let page = begin; page < end; page += stride) {
      let devices = 0;
      for (let i = page; i < Math.min(page + stride, end); i++) devices += index.devices[i]!;
      for (let part = 0; part < perPage; part++) {
        const at = sample * wordsPerDevice;
        writeDeviceWithin(index, page, (part + offset) / perPage, samples.devices, at);
        samples.weights[sample++] = devices / perPage;
      }
    }
  }
  return boundsBetween(samples, range, devicesPerRange);
}

function boundsBetween(
  { devices, weights }: Samples,
  { from, until }: DeviceRange,
  devicesPerRange: number,
): Uint32Array {
  const positions = Uint32Array.from(weights, (_, sample) => sample * wordsPerDevice);
  createRowSorter().sort(devices, positions, positions.length);
  const bounds: number[] = [];
  let last = from;
  let sum = 0;
  for (const at of positions) {
    if (sum >= devicesPerRange) {
      const isBehind = last === null || compareDevices(devices, at, last, 0) > 0;
      const isBefore = until === null || compareDevices(devices, at, until, 0) < 0;
      if (isBehind && isBefore) {
        last = devices.subarray(at, at + wordsPerDevice);
        bounds.push(...last);
        sum = 0;
      }
    }
    sum += weights[at / wordsPerDevice]!;
  }
  return Uint32Array.from(bounds);
}

/** Interpolates between the first and the last device of the page. */
function writeDeviceWithin(
  { spans }: PageIndex,
  page: number,
  fraction: number,
  into: Uint32Array,
  to: number,
): void {
  const at = page * wordsPerSpan;
  for (let i = 0; i < wordsPerDevice; i++) into[to + i] = spans[at + i]!;
  if (fraction === 0) return;
  let word = 0;
  while (word < wordsPerDevice - 2 && spans[at + word] === spans[at + wordsPerDevice + word])
    word++;
  const numberAt = (first: number) => spans[first + word]! * 2 ** 32 + spans[first + word + 1]!;
  const first = numberAt(at);
  const guess = first + (numberAt(at + wordsPerDevice) - first) * fraction;
  into[to + word] = Math.floor(guess / 2 ** 32);
  into[to + word + 1] = guess % 2 ** 32;
  into.fill(0, to + word + 2, to + wordsPerDevice);
}
