import type { DeviceRange } from '../devices/device-range.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import { type PageIndex, pagesWithin, wordsPerSpan } from '../file/page-index.ts';
import type { ReadableRun } from '../file/readable-run.ts';

export interface RangesToCut {
  readonly runs: readonly ReadableRun[];
  readonly range: DeviceRange;
  readonly devicesPerRange: number;
}

/** A device, and about how many devices there are between it and the next sample of its run. */
interface Sample {
  readonly device: Uint32Array;
  readonly devices: number;
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
  const samples: Sample[] = [];
  for (const [run, { index, begin, end }] of within.entries()) {
    const offset = (run * goldenRatio) % 1;
    for (let page = begin; page < end; page += stride) {
      let devices = 0;
      for (let i = page; i < Math.min(page + stride, end); i++) devices += index.devices[i]!;
      for (let part = 0; part < perPage; part++) {
        const device = deviceWithin(index, page, (part + offset) / perPage);
        samples.push({ device, devices: devices / perPage });
      }
    }
  }
  samples.sort((a, b) => compareDevices(a.device, 0, b.device, 0));
  return boundsBetween(samples, range, devicesPerRange);
}

function boundsBetween(
  samples: readonly Sample[],
  { from, until }: DeviceRange,
  devicesPerRange: number,
): Uint32Array {
  const bounds: number[] = [];
  let last = from;
  let devices = 0;
  for (const sample of samples) {
    const isBehind = last === null || compareDevices(sample.device, 0, last, 0) > 0;
    const isBefore = until === null || compareDevices(sample.device, 0, until, 0) < 0;
    if (devices >= devicesPerRange && isBehind && isBefore) {
      bounds.push(...sample.device);
      last = sample.device;
      devices = 0;
    }
    devices += sample.devices;
  }
  return Uint32Array.from(bounds);
}

/** Interpolates between the first and the last device of the page. */
function deviceWithin({ spans }: PageIndex, page: number, fraction: number): Uint32Array {
  const at = page * wordsPerSpan;
  const device = spans.slice(at, at + wordsPerDevice);
  if (fraction === 0) return device;
  let word = 0;
  while (word < wordsPerDevice - 2 && spans[at + word] === spans[at + wordsPerDevice + word])
    word++;
  const numberAt = (first: number) => spans[first + word]! * 2 ** 32 + spans[first + word + 1]!;
  const first = numberAt(at);
  const guess = first + (numberAt(at + wordsPerDevice) - first) * fraction;
  device[word] = Math.floor(guess / 2 ** 32);
  device[word + 1] = guess % 2 ** 32;
  return device.fill(0, word + 2);
}
