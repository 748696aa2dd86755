import {
  type DeviceTable,
  findCandidates,
  placesPerBucket,
  slotFrom,
} from '../devices/device-table.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { growArray } from '../devices/grow-array.ts';

/**
 * Queues devices of segments for lookup in a table. Devices that may be in the table, according to
 * its marks, are queued by zone until a zone has many. Then the zone is in the CPU cache for all.
 */
export interface LookupQueue {
  /** Starts lookups in a table. Devices found are added to the segments' counts. */
  begin(table: DeviceTable, counts: Uint32Array): void;
  /** Queues the devices of a segment in `words` from `begin` to before `end`, at most `maxLookups`. */
  add(segment: number, words: Uint32Array, begin: number, end: number): void;
  /** Looks up all devices still queued. */
  finish(): void;
}

/** A device, its place, and its segment. */
const wordsPerRow = wordsPerDevice + 2;
/** 64 KiB of the table. */
const devicesPerZone = 4096;
/** With more zones, writes alternate between more places than the CPU cache handles well. */
const maxZones = 512;

/** Reuses its memory. It queues at most one to two times as many devices as the table has. */
export function createLookupQueue(): LookupQueue {
  let table: DeviceTable;
  let counts: Uint32Array;
  let rows = new Uint32Array(0);
  // Where the queued rows of each zone end.
  let ends = new Int32Array(0);
  let zoneWords = 0;
  let zoneShift = 0;
  let others = new Int32Array(0);

  function lookUp(zone: number): void {
    const begin = zone * zoneWords;
    if (ends[zone] === begin) return;
    touchZone(table, (zone << zoneShift) >>> 3, ((zone + 1) << zoneShift) >>> 3);
    countHeld(table, rows.subarray(begin, ends[zone]), others, counts);
    ends[zone] = begin;
  }

  return {
    begin(of, into) {
      table = of;
      counts = into;
      // Zones of unused hashes stay empty.
      const devices = Math.max(1, of.count) * (2 ** 32 / of.hash.used);
      const zones = Math.min(maxZones, 2 ** Math.ceil(Math.log2(devices / devicesPerZone + 1)));
      zoneShift = Math.log2(((of.starts.length - 1) * placesPerBucket) / zones);
      zoneWords = Math.ceil(devices / zones) * wordsPerRow;
      rows = growArray(rows, zones * zoneWords);
      others = new Int32Array(zoneWords / wordsPerRow);
      ends = Int32Array.from({ length: zones }, (_, zone) => zone * zoneWords);
    },

    add(segment, words, begin, end) {
      const count = findCandidates(table, words, begin, end);
      // Local constants, because V8 reloads captured variables at every use.
      const { candidates, places } = table;
      const into = rows;
      const zoneEnds = ends;
      const size = zoneWords;
      const shift = zoneShift;
      for (let i = 0; i < count; i++) {
        const at = candidates[i]!;
        const place = places[i]!;
        const zone = place >>> shift;
        let to = zoneEnds[zone]!;
        if (to === (zone + 1) * size) {
          lookUp(zone);
          to = zoneEnds[zone]!;
        }
        into[to] = words[at]!;
        into[to + 1] = words[at + 1]!;
        into[to + 2] = words[at + 2]!;
        into[to + 3] = words[at + 3]!;
        into[to + 4] = place;
        into[to + 5] = segment;
        zoneEnds[zone] = to + 6;
      }
    },

    finish() {
      for (let zone = 0; zone < ends.length; zone++) lookUp(zone);
    },
  };
}

/**
 * Loads buckets and their devices into the CPU cache by sequential reads, which the processor
 * prefetches. This makes a whole overlap a fifth faster. The returned value is meaningless.
 */
function touchZone({ starts, devices }: DeviceTable, first: number, end: number): number {
  // A cache line of 64 bytes has 16 words.
  let sum = 0;
  for (let bucket = first; bucket < end; bucket += 16) sum ^= starts[bucket]!;
  const endAt = starts[end]! * wordsPerDevice;
  for (let at = starts[first]! * wordsPerDevice; at < endAt; at += 16) sum ^= devices[at]!;
  return sum;
}

/** Adds the rows that the table holds to the counts. `others` has space for one number per row. */
function countHeld(
  { starts, devices }: DeviceTable,
  rows: Uint32Array,
  others: Int32Array,
  counts: Uint32Array,
): void {
  // First compares every row with the first device of its bucket, without a branch, which would often
  // be mispredicted. Then compares the remaining rows with the rest of the bucket.
  let left = 0;
  for (let at = 0; at < rows.length; at += 6) {
    const to = starts[rows[at + 4]! >>> 3]! << 2;
    const segment = rows[at + 5]!;
    const difference =
      (rows[at]! ^ devices[to]!) |
      (rows[at + 1]! ^ devices[to + 1]!) |
      (rows[at + 2]! ^ devices[to + 2]!) |
      (rows[at + 3]! ^ devices[to + 3]!);
    const differs = (difference | -difference) >>> 31;
    counts[segment] = counts[segment]! + (differs ^ 1);
    others[left] = at;
    left = (left + differs) | 0;
  }
  for (let i = 0; i < left; i++) {
    const at = others[i]!;
    const bucket = rows[at + 4]! >>> 3;
    const slot = slotFrom(devices, starts[bucket]! + 1, starts[bucket + 1]!, rows, at);
    if (slot >= 0) counts[rows[at + 5]!]!++;
  }
}
