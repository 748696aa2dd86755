import { bisect, type DeviceRange } from '../devices/device-range.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import { growArray } from '../devices/grow-array.ts';
import { pagesWithin, wordsPerSpan } from '../file/page-index.ts';
import type { PageReader } from '../file/page-reader.ts';
import { numbersPerLength } from '../file/profile-lists.ts';
import type { ReadableProfile, ReadableRun } from '../file/readable-run.ts';
import {
  collectDevices,
  devicesWithin,
  mayHold,
  type SortedChunks,
  walkPages,
} from '../file/walk-pages.ts';
import { appendPage, emptyPart, newPart, type ProfilePart } from './profile-part.ts';

export interface ProfileCountInput {
  /** A run without lists counts as a profile that numbers just this run. */
  readonly profile: ReadableRun | ReadableProfile;
  /** How many runs the profile numbers. */
  readonly numbers: number;
  /** The runs of each set. */
  readonly sets: readonly (readonly ReadableRun[])[];
  readonly range: DeviceRange;
}

/** Counts, within a range, how many devices of each set each numbered run holds. */
export interface ProfileCounter {
  /** The counts of the first set by number, then those of the next set. */
  count(reader: PageReader, input: ProfileCountInput): Uint32Array;
}

/** The part of a profile that is compared with all sets before the next part is read. */
const pagesPerPart = 16;
/** With this many devices of sets for each page of the profile, hardly any page can be skipped. */
const plentyPerPage = 64;
/** If a set has so many times fewer devices than the part, its devices are searched one by one. */
const sparseness = 16;

/** Reuses its memory: about 1.3 MB for a part, and 256 KiB for the lists of each page at most. */
export function createProfileCounter(): ProfileCounter {
  const part = newPart();
  let wanted = new Uint32Array(0);

  /** The devices of all sets, if they are so few that pages of the profile can be skipped. */
  function sparseDevices(
    reader: PageReader,
    { sets, range }: ProfileCountInput,
    pages: number,
  ): SortedChunks | undefined {
    const runs = sets.flat();
    const devices = devicesWithin(runs, range);
    if (devices >= pages * plentyPerPage) return undefined;
    wanted = growArray(wanted, devices * wordsPerDevice);
    return collectDevices(reader, runs, range, wanted);
  }

  return {
    count(reader, input) {
      const { profile, numbers, sets, range } = input;
      const { index } = profile;
      const counts = new Uint32Array(sets.length * numbers);
      const { begin, end } = pagesWithin(index, range);
      const sparse = sparseDevices(reader, input, end - begin);
      for (let page = begin; page < end; page++) {
        if (sparse && !mayHold(index, page, sparse)) continue;
        emptyPart(part);
        const first = page;
        appendPage(part, reader, profile, page);
        while (page + 1 < end && page + 1 < first + pagesPerPart) {
          if (sparse && !mayHold(index, page + 1, sparse)) break;
          appendPage(part, reader, profile, ++page);
        }
        const ofPart = partOf(range, profile, first, page);
        for (const [set, runs] of sets.entries()) {
          for (const run of runs) {
            let at = 0;
            walkPages(reader, { run, range: ofPart }, (devices, from, until) => {
              at = countMatches(part, at, devices, from, until, counts, set * numbers);
            });
          }
        }
      }
      return counts;
    },
  };
}

/** The part of the range that the pages from `first` to `last` cover. */
function partOf(
  range: DeviceRange,
  { index: { spans } }: ReadableRun,
  first: number,
  last: number,
): DeviceRange {
  const from = spans.slice(first * wordsPerSpan, first * wordsPerSpan + wordsPerDevice);
  const next = (last + 1) * wordsPerSpan;
  const until = next < spans.length ? spans.slice(next, next + wordsPerDevice) : null;
  return {
    from: range.from && compareDevices(range.from, 0, from, 0) > 0 ? range.from : from,
    until:
      range.until && (until === null || compareDevices(range.until, 0, until, 0) < 0)
        ? range.until
        : until,
  };
}

/**
 * Adds the lists of the devices that both the part, from `at`, and the words from `begin` to before
 * `end` hold to the counts from `base`. Returns where to go on with the next words.
 */
function countMatches(
  { devices, end: partEnd, begins, numbers, length }: ProfilePart,
  at: number,
  words: Uint32Array,
  begin: number,
  end: number,
  counts: Uint32Array,
  base: number,
): number {
  const isSparse = partEnd - at > (end - begin) * sparseness;
  let i = at;
  for (let k = begin; k < end; k += 4) {
    const first = words[k]!;
    if (isSparse) i = bisect(devices, i, partEnd, wordsPerDevice, words, k);
    while (i < partEnd && devices[i]! < first) i += 4;
    // Devices with the same first word are rare, unless ids are not random.
    while (i < partEnd && devices[i] === first && compareDevices(devices, i, words, k) < 0) i += 4;
    if (i >= partEnd) break;
    if (devices[i] !== first || compareDevices(devices, i, words, k) !== 0) continue;
    if (length === 0) {
      counts[base]!++;
      continue;
    }
    const device = i >>> 2;
    const last = begins[device + 1]! - numbersPerLength;
    for (let number = begins[device]!; number < last; number++) {
      counts[base + numbers[number]!]!++;
    }
  }
  return i;
}
