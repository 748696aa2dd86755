import {
  type DeviceTable,
  findCandidates,
  placesPerBucket,
  slotFrom,
} from '../devices/device-table.ts';
import { wordsPerDevice } from '../devices/device-words.ts';
import { grown } from '../devices/grow-array.ts';

/**
 * Devices of segments that wait to be looked for in a table. Those that may be there, as its marks
 * say, wait by zones of the table until a zone has many: it is then in the cache for all of them.
 */
export interface LookupQueue {
  /** Begins anew, with a table. What is found there is added to the segments' counts. */
  begin(table: DeviceTable, counts: Uint32Array): void;
  /** Devices of a segment, from position `begin` to before `end`, no more than `maxLookups`. */
  add(segment: number, words: Uint32Array, begin: number, end: number): void;
  /** Looks for all that still wait. */
  finish(): void;
}

/** A device, its place, and its segment. */
const wordsPerRow = wordsPerDevice + 2;
/** 64 KiB of the table. */
const devicesPerZone = 4096;
/** More zones are more places to write to in turn than the processor likes. */
const maxZones = 512;

/** Keeps its memory: as many devices wait at most as there are in the table, or twice as many. */
export function createLookupQueue(): LookupQueue {
  let table: DeviceTable;
  let counts: Uint32Array;
  let rows = new Uint32Array(0);
  // Of each zone, where its rows end, which have a place of their own.
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
      // The zones of hashes that no device has stay empty.
      const devices = Math.max(1, of.count) * (2 ** 32 / of.hash.used);
      const zones = Math.min(maxZones, 2 ** Math.ceil(Math.log2(devices / devicesPerZone + 1)));
      zoneShift = Math.log2(((of.starts.length - 1) * placesPerBucket) / zones);
      zoneWords = Math.ceil(devices / zones) * wordsPerRow;
      rows = grown(rows, zones * zoneWords);
      others = new Int32Array(zoneWords / wordsPerRow);
      ends = Int32Array.from({ length: zones }, (_, zone) => zone * zoneWords);
    },

    add(segment, words, begin, end) {
      const count = findCandidates(table, words, begin, end);
      // As constants of this function, for what may change is looked up anew at every use.
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
 * Brings some buckets and their devices into the cache by reading on and on in them, which the
 * processor foresees: an overlap then takes a fifth less time altogether. What it returns is of no use.
 */
function touchZone({ starts, devices }: DeviceTable, first: number, end: number): number {
  // A cache line of 64 bytes has 16 words.
  let sum = 0;
  for (let bucket = first; bucket < end; bucket += 16) sum ^= starts[bucket]!;
  const endAt = starts[end]! * wordsPerDevice;
  for (let at = starts[first]! * wordsPerDevice; at < endAt; at += 16) sum ^= devices[at]!;
  return sum;
}

/** Adds the rows that the table holds to the counts; `others` has room for the number of each. */
function countHeld(
  { starts, devices }: DeviceTable,
  rows: Uint32Array,
  others: Int32Array,
  counts: Uint32Array,
): void {
  // First all with the first device of their bucket, without a branch, which would often be guessed
  // wrong; then the others with the rest of it.
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
