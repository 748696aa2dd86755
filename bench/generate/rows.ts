import { fillDevice, mix, type Shape } from './devices.ts';

export interface Rows {
  readonly rows: number;
  /** The index of the first row's device; the others follow. */
  readonly from?: number;
  readonly shape?: Shape;
  /** The number of devices over which the shape extends: those of all related files. */
  readonly devices?: number;
  /** Every tenth row repeats a recent device, with another cell. */
  readonly repeating?: boolean;
  readonly cell: CellKind;
}

type CellKind = 'empty' | 'label' | 'one_attribute' | 'five_attributes' | 'many_attributes';

const labels = ['install', 'purchase', 'open', 'signup', 'level_up', 'refund', 'visit'];

export const attributeCount = 1_000;

/** Rows with many attributes have this many, of as many. */
export const many = { perRow: 25, of: 200 } as const;

/** The key of an attribute in a file. All keys have four digits, so all rows have one length. */
export function attributeKey(number: number): string {
  return String(1_000 + number);
}

const chunkBytes = 1 << 20;
const longestRow = 200;
const hexPairs = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0')).readUInt16BE(),
);
const labelBytes = labels.map((label) => Buffer.from(label));

/** A file of two columns, in chunks. */
export async function* csvRows(spec: Rows): AsyncGenerator<Buffer> {
  const { rows, from = 0, shape = 'uniform', devices = from + rows, repeating = false } = spec;
  const words = new Uint32Array(4);
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let end = 0;
  for (let row = 0; row < rows; row++) {
    if (end + longestRow > chunkBytes) {
      yield chunk.subarray(0, end);
      chunk = Buffer.allocUnsafe(chunkBytes);
      end = 0;
    }
    const index = repeating && row % 10 === 9 ? row - 1 - (mix(row) % 9) : row;
    fillDevice(words, shape, from + index, devices);
    end = writeDevice(chunk, end, words);
    chunk[end++] = 0x2c;
    end = writeCell(chunk, end, spec.cell, mix(from + row + 0x1000_0000) >>> 1);
    chunk[end++] = 0x0a;
  }
  yield chunk.subarray(0, end);
}

/** Writes a device as text and returns where it ends. */
export function writeDevice(out: Buffer, at: number, words: Uint32Array): number {
  writeHex(out, at, words[0]! >>> 16);
  writeHex(out, at + 4, words[0]! & 0xffff);
  out[at + 8] = 0x2d;
  writeHex(out, at + 9, words[1]! >>> 16);
  out[at + 13] = 0x2d;
  writeHex(out, at + 14, words[1]! & 0xffff);
  out[at + 18] = 0x2d;
  writeHex(out, at + 19, words[2]! >>> 16);
  out[at + 23] = 0x2d;
  writeHex(out, at + 24, words[2]! & 0xffff);
  writeHex(out, at + 28, words[3]! >>> 16);
  writeHex(out, at + 32, words[3]! & 0xffff);
  return at + 36;
}

function writeHex(out: Buffer, at: number, number: number): void {
  const high = hexPairs[number >>> 8]!;
  const low = hexPairs[number & 0xff]!;
  out[at] = high >>> 8;
  out[at + 1] = high & 0xff;
  out[at + 2] = low >>> 8;
  out[at + 3] = low & 0xff;
}

function writeCell(out: Buffer, start: number, kind: CellKind, random: number): number {
  switch (kind) {
    case 'empty':
      return start;
    case 'label': {
      const label = labelBytes[random % labelBytes.length]!;
      for (let at = 0; at < label.length; at++) out[start + at] = label[at]!;
      return start + label.length;
    }
    case 'one_attribute':
      return writeKey(out, start, random % attributeCount);
    case 'five_attributes':
      return writeKeys(out, start, 5, attributeCount, random);
    case 'many_attributes':
      return writeKeys(out, start, many.perRow, many.of, random);
  }
}

/** Writes the keys of different attributes of the first `of`. */
function writeKeys(out: Buffer, start: number, count: number, of: number, random: number): number {
  // Five steps below a fifth of all attributes never reach the same attribute twice.
  const step = 1 + ((random >>> 15) % (of / count - 1));
  let end = start;
  for (let nth = 0; nth < count; nth++) {
    if (nth > 0) out[end++] = 0x7c;
    end = writeKey(out, end, ((random & 0xffff) + nth * step) % of);
  }
  return end;
}

/** The same as `attributeKey`. */
function writeKey(out: Buffer, start: number, number: number): number {
  out[start] = 0x31;
  out[start + 1] = 0x30 + Math.floor(number / 100);
  out[start + 2] = 0x30 + (Math.floor(number / 10) % 10);
  out[start + 3] = 0x30 + (number % 10);
  return start + 4;
}
