import {
  headerNumber,
  inPlace,
  leftOut,
  type RowBatch,
  removal,
  wordsPerDevice,
} from '../../../domain/row-batch.ts';

/** Instead of a list's number: the row names no segment, but its device counts. */
export const noList = 0xffff_ffff;
/** Instead of a list's number: the device leaves every segment. */
export const allLists = 0xffff_fffe;

/**
 * Rows of a load, one for each segment that a row names, as a block of ClickHouse's Native format.
 * That format is columnar, as the server stores rows, so it is the cheapest to read.
 */
export interface RowBlock {
  readonly rows: number;
  /** Adds rows from a position on until the block is full. Returns the position it stopped at. */
  add(batch: RowBatch, from: number): number;
  /** The bytes to send. Valid until the block is used again. */
  chunks(batch: number): Uint8Array[];
  empty(): void;
}

/** A block grows up to this many rows, 15 MB. */
const maxRows = 524_288;
const initialRows = 4_096;

export function createRowBlock(limit = maxRows): RowBlock {
  let capacity = Math.min(initialRows, limit);
  let removes = new Uint8Array(capacity);
  let lists = new Uint32Array(capacity);
  let devices = new Uint32Array(capacity * wordsPerDevice);
  let rows = 0;

  function grow(to: number): void {
    capacity = Math.max(to, Math.min(limit, capacity * 2));
    const [oldRemoves, oldLists, oldDevices] = [removes, lists, devices];
    removes = new Uint8Array(capacity);
    lists = new Uint32Array(capacity);
    devices = new Uint32Array(capacity * wordsPerDevice);
    removes.set(oldRemoves);
    lists.set(oldLists);
    devices.set(oldDevices);
  }

  function ensureCapacity(more: number): boolean {
    if (rows + more <= capacity) return true;
    if (rows + more <= limit || rows === 0) {
      grow(rows + more);
      return true;
    }
    return false;
  }

  function put(removing: number, list: number, words: Uint32Array, at: number): void {
    removes[rows] = removing;
    lists[rows] = list;
    const to = rows * wordsPerDevice;
    devices[to] = byteSwapped(words[at]!);
    devices[to + 1] = byteSwapped(words[at + 1]!);
    devices[to + 2] = byteSwapped(words[at + 2]!);
    devices[to + 3] = byteSwapped(words[at + 3]!);
    rows++;
  }

  return {
    get rows() {
      return rows;
    },
    add({ words, numbering }, from) {
      let at = from;
      while (at < words.length) {
        const header = words[at + wordsPerDevice]!;
        const isInPlace = (header & inPlace) !== 0;
        const names = isInPlace ? 1 : header & headerNumber;
        if (!ensureCapacity(Math.max(1, names))) return at;
        const removing = (header & removal) !== 0 ? 1 : 0;
        const first = at + wordsPerDevice + 1;
        const before = rows;
        for (let i = 0; i < names; i++) {
          const name = isInPlace ? header & headerNumber : words[first + i]!;
          const list = numbering === null ? name : numbering[name]!;
          if (list !== leftOut) put(removing, list, words, at);
        }
        // A row whose segments were all left out must not come to mean all segments.
        if (rows === before) put(removing, removing && names === 0 ? allLists : noList, words, at);
        at = first + (isInPlace ? 0 : names);
      }
      return at;
    },
    chunks(batch) {
      const batches = new BigUint64Array(rows).fill(BigInt(batch));
      return [
        Buffer.concat([varint(4), varint(rows)]),
        ...column('batch', 'UInt64', batches),
        ...column('removes', 'UInt8', removes.subarray(0, rows)),
        ...column('list', 'UInt32', lists.subarray(0, rows)),
        ...column('device', 'FixedString(16)', devices.subarray(0, rows * wordsPerDevice)),
      ];
    },
    empty() {
      rows = 0;
    },
  };
}

/** A device's first byte is the highest of its first word, which comes last in memory. */
function byteSwapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

type Values = BigUint64Array | Uint32Array | Uint8Array;

function column(name: string, type: string, values: Values): Uint8Array[] {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return [Buffer.concat([text(name), text(type)]), bytes];
}

function text(value: string): Uint8Array {
  return Buffer.concat([varint(value.length), Buffer.from(value)]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, rest);
}
