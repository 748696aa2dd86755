import { wordsPerDevice } from '../device-words.ts';
import { grown } from '../load/grown.ts';
import {
  type DeviceHash,
  firstHashed,
  hashOf,
  hashSource,
  mixedHash,
  orderedHash,
} from './device-hash.ts';

/**
 * A set of devices that is looked into by the million, by devices that ascend. Its slots ascend as
 * well, where the devices are spread evenly enough, so that lookups walk through the memory instead
 * of jumping in it. A filter of about 16 bits for each device answers most that are not there.
 */
export interface DeviceTable {
  readonly count: number;
  readonly hash: DeviceHash;
  /** The first bits of a hash tell its cell; cells have slots as they have devices. In filter bits. */
  readonly cellStarts: Int32Array;
  readonly cellSizes: Int32Array;
  /** The device in each slot; zeros if there is none. */
  readonly slots: Uint32Array;
  /** Of each slot the position of its device among those the table was made of, from 1 on, or 0. */
  readonly positions: Uint32Array;
  readonly filter: Int32Array;
  /** The device of all zeros would make its slot look free: it has one behind the others, or -1. */
  readonly zeroSlot: number;
  readonly scratch: LookupScratch;
}

/** Memory for tables, kept from one to the next, which takes it over. */
export interface TableMemory {
  slots: Uint32Array<ArrayBuffer>;
  positions: Uint32Array<ArrayBuffer>;
  filter: Int32Array<ArrayBuffer>;
  readonly scratch: LookupScratch;
}

interface LookupScratch {
  readonly mixed: Uint32Array;
  readonly places: Int32Array;
  readonly candidates: Int32Array;
}

/** As many devices are looked for at a time as a page has. */
export const maxLookups = 4096;

const cellBits = 10;
const cells = 1 << cellBits;
/** How fine a hash tells where in its cell it belongs. */
const fractionBits = 16;
/** Bits of the filter for each slot, as a power of two. */
const filterShift = 3;
/** So that a fraction times a size, in bits of the filter, stays below 2^32. */
const maxCellSlots = 2 ** (32 - fractionBits - filterShift) - 1;
/** Of as many devices as that the first ones, and of more every so many, tell how they are spread. */
const sampledDevices = 1 << 16;
/** More steps to a free slot than that, for each device, say that the order is of no use. */
const maxSteps = 4;
/** 512 KiB of slots: half of what a core has as its own cache. */
const zoneSlots = 1 << 15;

export function newTableMemory(): TableMemory {
  return {
    slots: new Uint32Array(0),
    positions: new Uint32Array(0),
    filter: new Int32Array(0),
    scratch: {
      mixed: new Uint32Array(maxLookups),
      places: new Int32Array(maxLookups),
      candidates: new Int32Array(maxLookups),
    },
  };
}

/** The table of the first `count` devices, which are distinct. */
export function tableOf(memory: TableMemory, devices: Uint32Array, count: number): DeviceTable {
  const stride = Math.ceil(count / sampledDevices);
  const hash = orderedHash(devices, count, stride);
  const sizes = sizesInOrder(devices, count, hash, stride);
  const ordered = sizes && build(memory, devices, count, hash, sizes, maxSteps * count);
  if (ordered) return ordered;
  const even = new Int32Array(cells).fill(Math.ceil((2 * count) / cells) + 1);
  return build(memory, devices, count, mixedHash, even, Number.POSITIVE_INFINITY)!;
}

/** How many slots each cell gets: about two for each device. Null if they could not be even. */
function sizesInOrder(
  devices: Uint32Array,
  count: number,
  hash: DeviceHash,
  stride: number,
): Int32Array | null {
  const sizes = new Int32Array(cells).fill(1);
  for (let device = 0; device < count; device += stride) {
    const cell = hashOf(hash, devices, device * wordsPerDevice) >>> (32 - cellBits);
    sizes[cell]! += 2 * stride;
  }
  return sizes.every((size) => size <= maxCellSlots) ? sizes : null;
}

/** Null if it takes more steps than allowed. */
function build(
  memory: TableMemory,
  devices: Uint32Array,
  count: number,
  hash: DeviceHash,
  sizes: Int32Array,
  stepsAllowed: number,
): DeviceTable | null {
  const table = emptyTable(memory, count, hash, sizes);
  const { slots, positions, filter, scratch } = table;
  const slotCount = slots.length / wordsPerDevice;
  let steps = 0;
  let zeroSlot = -1;
  for (let start = 0; start < count; start += maxLookups) {
    const end = Math.min(start + maxLookups, count);
    placeDevices(table, devices, start * wordsPerDevice, end * wordsPerDevice, 1);
    for (let position = start; position < end; position++) {
      const bit = scratch.places[position - start]!;
      const at = position * wordsPerDevice;
      filter[bit >>> 5]! |= 1 << (bit & 31);
      if (devices[at] === 0 && isZero(devices, at)) {
        zeroSlot = slotCount;
        positions[zeroSlot] = position + 1;
        continue;
      }
      let slot = bit >>> filterShift;
      while (positions[slot] !== 0) {
        slot = slot + 1 === slotCount ? 0 : slot + 1;
        steps++;
      }
      positions[slot] = position + 1;
      const to = slot * wordsPerDevice;
      slots[to] = devices[at]!;
      slots[to + 1] = devices[at + 1]!;
      slots[to + 2] = devices[at + 2]!;
      slots[to + 3] = devices[at + 3]!;
    }
    if (steps > stepsAllowed) return null;
  }
  return { ...table, zeroSlot };
}

function emptyTable(
  memory: TableMemory,
  count: number,
  hash: DeviceHash,
  sizes: Int32Array,
): DeviceTable {
  const cellStarts = new Int32Array(cells);
  let slotCount = 0;
  for (let cell = 0; cell < cells; cell++) {
    cellStarts[cell] = slotCount << filterShift;
    slotCount += sizes[cell]!;
  }
  const filterWords = Math.ceil((slotCount << filterShift) / 32);
  memory.slots = grown(memory.slots, slotCount * wordsPerDevice);
  memory.positions = grown(memory.positions, slotCount + 1);
  if (memory.filter.length < filterWords) memory.filter = new Int32Array(filterWords * 1.125);
  return {
    count,
    hash,
    cellStarts,
    cellSizes: sizes.map((size) => size << filterShift),
    slots: memory.slots.subarray(0, slotCount * wordsPerDevice).fill(0),
    positions: memory.positions.subarray(0, slotCount + 1).fill(0),
    filter: memory.filter.subarray(0, filterWords).fill(0),
    zeroSlot: -1,
    scratch: memory.scratch,
  };
}

/**
 * Notes where devices belong, and which ones these are: each place is a bit of the filter, and
 * above its low three a slot. Leaves out those that the filter says are not there, unless `all` is
 * 1 and not 0; how many are left. The numbers are written out here and below, for V8 folds those
 * only, and with names from outside the function it takes half as long again.
 */
function placeDevices(
  { hash, cellStarts, cellSizes, filter, scratch }: DeviceTable,
  words: Uint32Array,
  begin: number,
  end: number,
  all: 0 | 1,
): number {
  const { places, candidates, mixed } = scratch;
  const source = hashSource(hash, words, begin, end, mixed);
  const { words: hashed, step, firstWord, firstShift, firstMask } = source;
  const { secondWord, secondShift, behind, base, scale } = source;
  let at = source.begin;
  let passed = 0;
  for (let device = begin; device < end; device += 4) {
    const top = (hashed[at + firstWord]! << firstShift) & firstMask;
    const rest = ((hashed[at + secondWord]! << secondShift) >>> 1) >>> behind;
    const value = ((top | rest) - base) << scale;
    const cell = value >>> 22;
    const fraction = (value << 10) >>> 16;
    const bit = cellStarts[cell]! + (Math.imul(fraction, cellSizes[cell]!) >>> 16);
    candidates[passed] = device;
    places[passed] = bit;
    // Without a branch, which would often be guessed wrong.
    passed = (passed + (((filter[bit >>> 5]! >>> (bit & 31)) & 1) | all)) | 0;
    at = (at + step) | 0;
  }
  return passed;
}

/**
 * Looks for the devices from position `begin` to before `end` of `words`, which ascend, no more
 * than `maxLookups`: writes the slots of the ones that are there to `found`; how many they are.
 */
export function findHeld(
  table: DeviceTable,
  words: Uint32Array,
  begin: number,
  end: number,
  found: Uint32Array,
): number {
  if (begin === end) return 0;
  if (words[begin] === 0 && isZero(words, begin)) {
    const held = findHeld(table, words, begin + wordsPerDevice, end, found);
    if (table.zeroSlot < 0) return held;
    found[held] = table.zeroSlot;
    return held + 1;
  }
  const candidates = placeDevices(table, words, begin, end, 0);
  return compareCandidates(table, words, candidates, found);
}

function compareCandidates(
  { slots, scratch }: DeviceTable,
  words: Uint32Array,
  count: number,
  found: Uint32Array,
): number {
  const { places, candidates } = scratch;
  let held = 0;
  for (let i = 0; i < count; i++) {
    const at = candidates[i]!;
    let to = (places[i]! >>> 3) << 2;
    while (!isSame(slots, to, words, at)) {
      if (isZero(slots, to)) {
        to = -1;
        break;
      }
      to = to + 4 === slots.length ? 0 : to + 4;
    }
    if (to < 0) continue;
    found[held] = to >>> 2;
    held = (held + 1) | 0;
  }
  return held;
}

/** A part of the table that fits into the cache. */
export interface Zone {
  /** The first hash behind it; none behind the last. */
  readonly bound: number | undefined;
  /** Its slots, as positions of words. */
  readonly begin: number;
  readonly end: number;
}

/** One after the other; the table is one zone if devices of any hash may be anywhere in it. */
export function zonesOf({ hash, cellStarts, slots }: DeviceTable): Zone[] {
  const zones: Zone[] = [];
  let begin = 0;
  for (let cell = 0; cell < cells && !hash.isMixed; cell++) {
    const start = (cellStarts[cell]! >>> filterShift) * wordsPerDevice;
    if (start - begin <= zoneSlots * wordsPerDevice) continue;
    zones.push({ bound: cell * 2 ** (32 - cellBits), begin, end: start });
    begin = start;
  }
  return [...zones, { bound: undefined, begin, end: slots.length }];
}

/**
 * Brings a zone into the cache by reading on and on in it, which the processor foresees: an overlap
 * then takes a fifth less time altogether. What it returns is of no use.
 */
export function touchZone({ hash, slots }: DeviceTable, { begin, end }: Zone): number {
  let sum = 0;
  if (hash.isMixed) return sum;
  // A cache line of 64 bytes has 16 words.
  for (let at = begin; at < end; at += 16) sum ^= slots[at]!;
  return sum;
}

/** Of devices that ascend, where those end that are below the bound of a zone. */
export function zoneEnd(
  { hash }: DeviceTable,
  words: Uint32Array,
  begin: number,
  end: number,
  bound: number | undefined,
): number {
  if (bound === undefined || hash.isMixed) return end;
  return firstHashed(hash, words, begin, end, bound);
}

function isZero(words: Uint32Array, at: number): boolean {
  return (words[at]! | words[at + 1]! | words[at + 2]! | words[at + 3]!) === 0;
}

function isSame(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  return (
    a[atA + 1] === b[atB + 1] &&
    a[atA] === b[atB] &&
    a[atA + 2] === b[atB + 2] &&
    a[atA + 3] === b[atB + 3]
  );
}
