import { bisect } from '../devices/device-range.ts';
import { compareDevices, wordsPerDevice } from '../devices/device-words.ts';
import { growArray } from '../devices/grow-array.ts';
import { createRowSorter } from '../devices/sort-rows.ts';
import { wordsPerSpan } from '../file/page-index.ts';
import type { PageReader } from '../file/page-reader.ts';
import { pageReaching, type ReadableRun } from '../file/readable-run.ts';
import { type DigestTable, findCandidates } from './digest-table.ts';
import { createDeviceHasher, type HashDevices } from './hash-devices.ts';

/** A set of digests that threads can read. */
export interface ReadableDigests {
  readonly table: DigestTable;
  readonly runs: readonly ReadableRun[];
}

/** Calls `visit` with the number of each device whose digest is in the set. */
export type MatchDigests = (
  devices: Uint32Array,
  digests: ReadableDigests,
  visit: (device: number) => void,
) => void;

/** Devices hashed at a time. Their digests stay in the CPU cache until they are looked up. */
const devicesAtOnce = 8_192;

export function createDigestMatcher(reader: Pick<PageReader, 'readPage'>): MatchDigests {
  const sorter = createRowSorter();
  // Made when first needed, because most processes never hash a device.
  let hashDevices: HashDevices | undefined;
  const digests = new Uint32Array(devicesAtOnce * wordsPerDevice);
  const found = new Uint32Array(devicesAtOnce);
  // The digests of all candidates, and the numbers of their devices.
  let candidates = new Uint32Array(0);
  let numbers = new Uint32Array(0);
  let positions = new Uint32Array(0);

  /** Returns how many devices may match. */
  function collect(devices: Uint32Array, table: DigestTable): number {
    hashDevices ??= createDeviceHasher();
    let count = 0;
    for (let at = 0; at < devices.length; at += digests.length) {
      const some = devices.subarray(at, at + digests.length);
      const hashed = digests.subarray(0, some.length);
      hashDevices(some, hashed);
      const more = findCandidates(table, hashed, found);
      if (more === 0) continue;
      reserve(count + more, count);
      for (let i = 0; i < more; i++, count++) {
        const from = found[i]! * wordsPerDevice;
        candidates.set(hashed.subarray(from, from + wordsPerDevice), count * wordsPerDevice);
        numbers[count] = at / wordsPerDevice + found[i]!;
      }
    }
    return count;
  }

  function reserve(count: number, used: number): void {
    // One more word, because the sorter reads the word after a device.
    const words = growArray(candidates, count * wordsPerDevice + 1);
    if (words !== candidates) words.set(candidates.subarray(0, used * wordsPerDevice));
    candidates = words;
    const more = growArray(numbers, count);
    if (more !== numbers) more.set(numbers.subarray(0, used));
    numbers = more;
  }

  return (devices, { table, runs }, visit) => {
    const count = collect(devices, table);
    if (count === 0) return;
    // Sorted, so that a page is read once, however many candidates it may hold.
    positions = growArray(positions, count);
    for (let i = 0; i < count; i++) positions[i] = i * wordsPerDevice;
    sorter.sort(candidates, positions, count);
    const sorted = positions.subarray(0, count);
    for (const run of runs) {
      visitHeld(reader, run, candidates, sorted, (at) => visit(numbers[at / wordsPerDevice]!));
    }
  };
}

/** Visits those of the digests at ascending `positions` that the run holds. */
function visitHeld(
  reader: Pick<PageReader, 'readPage'>,
  run: ReadableRun,
  digests: Uint32Array,
  positions: Uint32Array,
  visit: (at: number) => void,
): void {
  const { index } = run;
  let page = 0;
  let isRead = false;
  let held = new Uint32Array(0);
  for (const at of positions) {
    const next = pageReaching(index, page, digests, at);
    if (next >= index.pages) return;
    if (next !== page) isRead = false;
    page = next;
    if (compareDevices(digests, at, index.spans, page * wordsPerSpan) < 0) continue;
    if (!isRead) held = reader.readPage(run, page) as Uint32Array<ArrayBuffer>;
    isRead = true;
    const place = bisect(held, 0, held.length, wordsPerDevice, digests, at);
    if (place < held.length && compareDevices(held, place, digests, at) === 0) visit(at);
  }
}
