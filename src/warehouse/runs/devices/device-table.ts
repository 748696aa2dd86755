import { type DeviceHash, hashSource, mixedHash, orderedHash } from './device-hash.ts';
import { wordsPerDevice } from './device-words.ts';
import { grown } from './grow-array.ts';

/**
 * A set of devices that is looked into by the million, by devices that ascend. They stand bucket by
 * bucket, and where they are spread evenly enough the buckets ascend as well: lookups then walk
 * through the memory instead of jumping in it, and devices that ascend need not be moved at all.
 */
export interface DeviceTable {
  readonly count: number;
  readonly hash: DeviceHash;
  /** How far a hash is to be moved down to be a place, which has its mark; eight make a bucket. */
  readonly placeShift: number;
  /** A bit for each place, set if a device has it: most devices that are not there find none. */
  readonly marks: Int32Array;
  /** Where the devices of each bucket begin; one more, to end the last. */
  readonly starts: Int32Array;
  readonly devices: Uint32Array;
  /** Which of those that the table was made of each device is, if they had to be moved. */
  readonly positions: Uint32Array | null;
  /** What `findCandidates` finds: devices that may be there, and their places. */
  readonly candidates: Int32Array;
  readonly places: Int32Array;
  readonly mixed: Uint32Array;
}

/** Memory for tables, kept from one to the next, which takes it over. */
export interface TableMemory extends Pick<DeviceTable, 'candidates' | 'places' | 'mixed'> {
  marks: Int32Array<ArrayBuffer>;
  starts: Int32Array<ArrayBuffer>;
  devices: Uint32Array<ArrayBuffer>;
  positions: Uint32Array<ArrayBuffer>;
}

/** As many devices are looked for at a time as a page has. */
export const maxLookups = 4096;

const bucketShift = 3;
export const placesPerBucket = 1 << bucketShift;
const marksPerWord = 32;
/** Of as many devices as that the first ones, and of more every so many, tell how they are spread. */
const sampledDevices = 1 << 16;
/** More devices before it in its bucket than that, for each device, say that the order is of no use. */
const maxSteps = 4;

export function newTableMemory(): TableMemory {
  return {
    marks: new Int32Array(0),
    starts: new Int32Array(0),
    devices: new Uint32Array(0),
    positions: new Uint32Array(0),
    candidates: new Int32Array(maxLookups),
    places: new Int32Array(maxLookups),
    mixed: new Uint32Array(maxLookups),
  };
}

/** The table of the first `count` devices, which are distinct. They may have to stay where they are. */
export function tableOf(memory: TableMemory, devices: Uint32Array, count: number): DeviceTable {
  const stride = Math.ceil(count / sampledDevices);
  const hash = count === 0 ? mixedHash : orderedHash(devices, count, stride);
  return (
    build(memory, devices, count, hash, maxSteps * count) ??
    build(memory, devices, count, mixedHash, Number.POSITIVE_INFINITY)!
  );
}

/** Null if it takes more steps than allowed. */
function build(
  memory: TableMemory,
  devices: Uint32Array,
  count: number,
  hash: DeviceHash,
  stepsAllowed: number,
): DeviceTable | null {
  const table = emptyTable(memory, devices, count, hash);
  const { marks, starts, places } = table;
  let steps = 0;
  let last = 0;
  let isInOrder = true;
  // Until all are counted, a bucket has the number of its devices where they are to begin.
  for (let first = 0; first < count; first += maxLookups) {
    const end = Math.min(first + maxLookups, count);
    placeDevices(table, devices, first * wordsPerDevice, end * wordsPerDevice, 1);
    for (let i = 0; i < end - first; i++) {
      const place = places[i]!;
      const bucket = place >>> bucketShift;
      marks[place >>> 5]! |= 1 << (place & 31);
      const before = starts[bucket]!;
      starts[bucket] = before + 1;
      steps += before;
      isInOrder &&= bucket >= last;
      last = bucket;
    }
    if (steps > stepsAllowed) return null;
  }
  let begin = 0;
  for (let bucket = 0; bucket < starts.length; bucket++) {
    const end = begin + starts[bucket]!;
    starts[bucket] = isInOrder ? begin : end;
    begin = end;
  }
  return isInOrder ? table : moveDevices(memory, table);
}

/** Puts devices into their buckets, from the end of each, which `starts` has here, to its begin. */
function moveDevices(memory: TableMemory, table: DeviceTable): DeviceTable {
  const { count, devices: from, starts, places } = table;
  memory.devices = grown(memory.devices, count * wordsPerDevice);
  memory.positions = grown(memory.positions, count);
  const { devices, positions } = memory;
  for (let first = 0; first < count; first += maxLookups) {
    const end = Math.min(first + maxLookups, count);
    placeDevices(table, from, first * wordsPerDevice, end * wordsPerDevice, 1);
    for (let position = first; position < end; position++) {
      const slot = --starts[places[position - first]! >>> bucketShift]!;
      positions[slot] = position;
      const at = position * wordsPerDevice;
      const to = slot * wordsPerDevice;
      devices[to] = from[at]!;
      devices[to + 1] = from[at + 1]!;
      devices[to + 2] = from[at + 2]!;
      devices[to + 3] = from[at + 3]!;
    }
  }
  return { ...table, devices, positions };
}

function emptyTable(
  memory: TableMemory,
  devices: Uint32Array,
  count: number,
  hash: DeviceHash,
): DeviceTable {
  // A bucket for one to two devices, among the hashes that devices come to have. With twice as many
  // an overlap took 4 % longer, and with four times a fifth, for less of them stays in the cache.
  const wanted = (Math.max(count, 8) * 2 ** 31) / hash.used;
  const bits = Math.min(Math.ceil(Math.log2(wanted)), 32 - bucketShift);
  const buckets = 2 ** bits;
  const markWords = (buckets * placesPerBucket) / marksPerWord;
  if (memory.starts.length <= buckets) {
    memory.starts = new Int32Array(buckets + 1);
    memory.marks = new Int32Array(markWords);
  }
  return {
    ...memory,
    count,
    hash,
    placeShift: 32 - bucketShift - bits,
    marks: memory.marks.subarray(0, markWords).fill(0),
    starts: memory.starts.subarray(0, buckets + 1).fill(0),
    devices,
    positions: null,
  };
}

/**
 * Of the devices from position `begin` to before `end` of `words`, no more than `maxLookups`, notes
 * those that may be there; how many they are.
 */
export function findCandidates(
  table: DeviceTable,
  words: Uint32Array,
  begin: number,
  end: number,
): number {
  return placeDevices(table, words, begin, end, 0);
}

/**
 * Notes the places of devices, leaving out those without a mark unless `all` is 1. The numbers are
 * written out here and below, for V8 folds those only, and with names from outside the function it
 * takes half as long again.
 */
function placeDevices(
  { hash, placeShift, marks, places, candidates, mixed }: DeviceTable,
  words: Uint32Array,
  begin: number,
  end: number,
  all: 0 | 1,
): number {
  const source = hashSource(hash, words, begin, end, mixed);
  const { words: hashed, step, firstWord, firstShift, firstMask } = source;
  const { secondWord, secondShift, behind, base, scale } = source;
  let at = source.begin;
  let passed = 0;
  for (let device = begin; device < end; device += 4) {
    const top = (hashed[at + firstWord]! << firstShift) & firstMask;
    const rest = ((hashed[at + secondWord]! << secondShift) >>> 1) >>> behind;
    const place = (((top | rest) - base) << scale) >>> placeShift;
    candidates[passed] = device;
    places[passed] = place;
    // Without a branch, which would often be guessed wrong.
    passed = (passed + (((marks[place >>> 5]! >>> (place & 31)) & 1) | all)) | 0;
    at = (at + step) | 0;
  }
  return passed;
}

/** Of slots from one to before another, that of the device at a position of `words`; or -1. */
export function slotFrom(
  devices: Uint32Array,
  first: number,
  end: number,
  words: Uint32Array,
  at: number,
): number {
  for (let slot = first; slot < end; slot++) {
    const to = slot << 2;
    const difference =
      (words[at]! ^ devices[to]!) |
      (words[at + 1]! ^ devices[to + 1]!) |
      (words[at + 2]! ^ devices[to + 2]!) |
      (words[at + 3]! ^ devices[to + 3]!);
    if (difference === 0) return slot;
  }
  return -1;
}

/** Looks for devices as `findCandidates` does: writes the slots of those there to `found`; how many. */
export function findHeld(
  table: DeviceTable,
  words: Uint32Array,
  begin: number,
  end: number,
  found: Uint32Array,
): number {
  const { starts, devices, places, candidates } = table;
  const count = findCandidates(table, words, begin, end);
  let held = 0;
  for (let i = 0; i < count; i++) {
    const bucket = places[i]! >>> bucketShift;
    const slot = slotFrom(devices, starts[bucket]!, starts[bucket + 1]!, words, candidates[i]!);
    if (slot >= 0) found[held++] = slot;
  }
  return held;
}

/** Which of those that the table was made of the device in a slot is, from 0 on. */
export function positionOf({ positions }: DeviceTable, slot: number): number {
  return positions ? positions[slot]! : slot;
}
