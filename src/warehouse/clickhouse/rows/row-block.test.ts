import { describe, expect, it } from 'vitest';
import { inPlace, leftOut, type RowBatch, removal } from '../../../domain/row-batch.ts';
import { allLists, createRowBlock, noList, type RowBlock } from './row-block.ts';

const device = [0x00010203, 0x04050607, 0x08090a0b, 0xff0d0e0f];

function batchOf(rows: readonly number[][], numbering: Uint32Array | null = null): RowBatch {
  const packed = rows.flatMap((row) => [...device, ...row]);
  const words = new Uint32Array(new SharedArrayBuffer(packed.length * 4));
  words.set(packed);
  return { words, rows: rows.length, numbering, release: () => {} };
}

/** Decodes a block of the Native format. */
function read(block: RowBlock, batch = 7) {
  const bytes = Buffer.concat(block.chunks(batch));
  let at = 0;
  function varint(): number {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  function take(length: number): Buffer {
    at += length;
    return bytes.subarray(at - length, at);
  }
  const columns = varint();
  const rows = varint();
  const sizes: Record<string, number> = { UInt64: 8, UInt8: 1, UInt32: 4, 'FixedString(16)': 16 };
  const found: Record<string, Buffer> = {};
  for (let i = 0; i < columns; i++) {
    const name = take(varint()).toString();
    const type = take(varint()).toString();
    found[name] = take(sizes[type]! * rows);
  }
  expect(at).toBe(bytes.length);
  return Array.from({ length: rows }, (_, i) => ({
    batch: Number(found.batch!.readBigUInt64LE(i * 8)),
    removes: found.removes![i],
    list: found.list!.readUInt32LE(i * 4),
    device: found.device!.subarray(i * 16, i * 16 + 16).toString('hex'),
  }));
}

function listsOf(rows: readonly number[][], numbering: Uint32Array | null = null) {
  const block = createRowBlock();
  block.add(batchOf(rows, numbering), 0);
  return read(block).map(({ removes, list }) => [removes, list]);
}

describe('a block of rows', () => {
  it('contains the batch number and the bytes of each device in order', () => {
    const block = createRowBlock();
    block.add(batchOf([[inPlace | 3]]), 0);
    const bytes = '000102030405060708090a0bff0d0e0f';
    expect(read(block, 1_800_000_000_123)).toEqual([
      { batch: 1_800_000_000_123, removes: 0, list: 3, device: bytes },
    ]);
  });

  it('has one row per named segment, and one for a row that names none', () => {
    expect(listsOf([[inPlace | 9], [2, 4, 5], [0]])).toEqual([
      [0, 9],
      [0, 4],
      [0, 5],
      [0, noList],
    ]);
  });

  it('distinguishes removals from some segments and from all', () => {
    const flagged = (header: number) => (removal | header) >>> 0;
    expect(listsOf([[flagged(inPlace | 9)], [flagged(2), 4, 5], [flagged(0)]])).toEqual([
      [1, 9],
      [1, 4],
      [1, 5],
      [1, allLists],
    ]);
  });

  it('renumbers segments, and a removal whose segments are all left out removes nothing', () => {
    const numbering = Uint32Array.of(5, leftOut, 6);
    const flagged = (header: number) => (removal | header) >>> 0;
    const rows = [[inPlace | 0], [3, 0, 1, 2], [inPlace | 1], [flagged(inPlace | 1)]];
    expect(listsOf(rows, numbering)).toEqual([
      [0, 5],
      [0, 5],
      [0, 6],
      [0, noList],
      [1, noList],
    ]);
  });

  it('stops before the row that does not fit and continues from there', () => {
    const block = createRowBlock(4);
    const batch = batchOf([[3, 0, 1, 2], [2, 3, 4], [inPlace | 5]]);
    const stopped = block.add(batch, 0);
    expect(read(block).map(({ list }) => list)).toEqual([0, 1, 2]);
    block.empty();
    expect(block.add(batch, stopped)).toBe(batch.words.length);
    expect(read(block).map(({ list }) => list)).toEqual([3, 4, 5]);
  });

  it('grows for a row that names more segments than the row limit', () => {
    const block = createRowBlock(4);
    const names = Array.from({ length: 10_000 }, (_, i) => i);
    const batch = batchOf([[names.length, ...names]]);
    expect(block.add(batch, 0)).toBe(batch.words.length);
    expect(read(block).map(({ list }) => list)).toEqual(names);
  });
});
