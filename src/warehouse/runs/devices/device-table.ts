import { type DeviceHash, hashSource, mixedHash, orderedHash } from './device-hash.ts';
import { wordsPerDevice } from './device-words.ts';
import { growArray } from './grow-array.ts';

/**
 * A hash set of devices for millions of lookups of ascending devices. If the devices are distributed
 * evenly enough, buckets ascend with them. Lookups then access memory sequentially, and ascending
 * devices stay where they are.
 */
export interface DeviceTable {
  readonly count: number;
  readonly hash: DeviceHash;
  /** Shifts a hash down to a place. Each place has a mark, and eight places form a bucket. */
  readonly placeShift: number;
  /** One bit for each place, set if a device has it. Most absent devices have an unset mark. */
  readonly marks: Int32Array;
  /** Where the devices of each bucket begin, plus the end of the last bucket. */
  readonly starts: Int32Array;
  readonly devices: Uint32Array;
  /** The original position of each device, if the devices had to be moved. */
  readonly positions: Uint32Array | null;
  /** The results of `findCandidates`: devices that may be in the table, and their places. */
  readonly candidates: Int32Array;
  readonly places: Int32Array;
  readonly mixed: Uint32Array;
}

/** Memory that each table takes over from the previous one. */
export interface TableMemory extends Pick<DeviceTable, 'candidates' | 'places' | 'mixed'> {
  marks: Int32Array<ArrayBuffer>;
  starts: Int32Array<ArrayBuffer>;
  devices: Uint32Array<ArrayBuffer>;
  positions: Uint32Array<ArrayBuffer>;
}

/** The most devices looked up at a time: one page. */
export const maxLookups = 4096;

const bucketShift = 3;
export const placesPerBucket = 1 << bucketShift;
const marksPerWord = 32;
/** How many devices are sampled to choose the hash. */
const sampledDevices = 1 << 16;
/** If devices share their bucket with more others than this on average, the table uses a mixed hash. */
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

/** A table of the first `count` devices, which are distinct. It may refer to `devices` itself. */
export function tableOf(memory: TableMemory, devices: Uint32Array, count: number): DeviceTable {
  const stride = Math.ceil(count / sampledDevices);
  const hash = count === 0 ? mixedHash : orderedHash(devices, count, stride);
  return (
    build(memory, devices, count, hash, maxSteps * count) ??
    build(memory, devices, count, mixedHash, Number.POSITIVE_INFINITY)!
  );
}

/** Null if lookups would take more steps than allowed. */
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
  // In this loop `starts` holds the number of devices of each bucket.
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

/** Fills the buckets from their ends, which `starts` holds before the call, to their starts. */
function moveDevices(memory: TableMemory, table: DeviceTable): DeviceTable {
  const { count, devices: from, starts, places } = table;
  memory.devices = growArray(memory.devices, count * wordsPerDevice);
  memory.positions = growArray(memory.positions, count);
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
  // One bucket for one to two devices. With twice as many buckets an overlap took 4 % longer, with
  // four times as many 20 % longer, because less of the table stays in the CPU cache.
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
 * Writes the devices of `words` from `begin` to before `end`, at most `maxLookups`, that may be in the
 * table to `candidates`; returns their number.
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
 * Writes devices and their places, skipping those without a mark unless `all` is 1. Numbers are
 * literals here and below: with constants from outside the function V8 takes half as long again.
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
    // Without a branch, which would often be mispredicted.
    passed = (passed + (((marks[place >>> 5]! >>> (place & 31)) & 1) | all)) | 0;
    at = (at + step) | 0;
  }
  return passed;
}

/** The slot, from `first` to before `end`, that holds the device at `words[at]`; or -1. */
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

/** Looks up devices, writes the slots of those in the table to `found`, and returns their number. */
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

/** The position, in the devices that the table was built from, of the device in a slot. */
export function positionOf({ positions }: DeviceTable, slot: number): number {
  return positions ? positions[slot]! : slot;
}
