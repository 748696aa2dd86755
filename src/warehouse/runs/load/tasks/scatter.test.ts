import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftOut } from '../../../../domain/row-batch.ts';
import {
  type BitWindow,
  emptyWindow,
  initialWindow,
  windowAfter,
} from '../../devices/bit-window.ts';
import { wordsPerRow } from '../../devices/rows.ts';
import { packRows, type Row, spreadDevice, unpackRows } from '../../testing/rows.ts';
import { createExtentReader, type ScratchHandle } from '../memory/slots.ts';
import { createScatter } from './scatter.ts';

const readExtents = createExtentReader();
const slotWords = 64;
let folder: string;
let spillFd: number;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-scatter-'));
  spillFd = openSync(join(folder, 'scratch'), 'w+');
});
afterAll(() => {
  closeSync(spillFd);
  rmSync(folder, { recursive: true });
});

function scratchOf(blocks: number): ScratchHandle {
  return {
    memory: new Uint32Array(new SharedArrayBuffer(blocks * slotWords * 4)),
    slotWords,
    spillSlots: new Int32Array(new SharedArrayBuffer(4)),
    spillFd,
  };
}

/** The rows of each part, in input order. */
function scatter(
  rows: readonly Row[],
  window: BitWindow,
  blocks: number,
  { numbering, spillAll = false }: { numbering?: Uint32Array; spillAll?: boolean } = {},
) {
  const scratch = scratchOf(blocks);
  const under = createScatter(scratch, window);
  under.grant(Int32Array.from({ length: blocks }, (_, block) => block));
  const half = Math.floor(rows.length / 2);
  for (const some of [rows.slice(0, half), rows.slice(half)]) {
    const words = packRows(some);
    under.add(words, numbering ?? null, words.length === some.length * wordsPerRow);
  }
  const { chunks, unused, ...rest } = under.finish(spillAll);
  const parts = new Map<number, Row[]>();
  const slots = new Set<number>(unused);
  for (let i = 0; i < chunks.length; i += 3) {
    const [part, slot, words] = chunks.subarray(i, i + 3);
    const read = readExtents(scratch, Int32Array.of(slot!, 0, words!));
    parts.set(part!, [...(parts.get(part!) ?? []), ...unpackRows(read)]);
    expect(slots.has(slot!)).toBe(false);
    slots.add(slot!);
  }
  const granted = [...slots].filter((slot) => slot >= 0);
  const inFile = scratch.spillSlots[0]!;
  return { parts, inFile, unused: unused.length, blocks: granted, ...rest };
}

const names = fc.array(fc.nat(9), { maxLength: 6 });
const row: fc.Arbitrary<Row> = fc
  .record({ device: fc.nat(50).map(spreadDevice), names, removes: fc.boolean() })
  .map(({ device, names, removes }) =>
    removes ? { device, names: names.length > 0 ? names : null, removes } : { device, names },
  );

describe('createScatter', () => {
  it('gives each part its rows, in memory or spilled to disk', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 300 }),
        fc.constantFrom(
          emptyWindow,
          windowAfter(0, 2),
          windowAfter(3, 4),
          initialWindow,
          windowAfter(28, 8),
          windowAfter(127, 5),
        ),
        fc.nat(40),
        fc.boolean(),
        (rows, window, spare, spillAll) => {
          const found = scatter(rows, window, (1 << window.bits) + spare, { spillAll });
          const expected = Map.groupBy(rows, ({ device }) => {
            const bits = BigInt(`0x${device}`) >> BigInt(128 - window.prefix - window.bits);
            return Number(bits & BigInt((1 << window.bits) - 1));
          });
          expect(found.parts).toEqual(expected);
          expect(found.blocks).toHaveLength((1 << window.bits) + spare);
          expect(found.removals).toBe(rows.some(({ removes }) => removes));
          expect(found.numbers).toBe(
            Math.max(0, ...rows.flatMap(({ names }) => names ?? []).map((name) => name + 1)),
          );
        },
      ),
    );
  });

  it('spills full blocks only when no free block is left', () => {
    const rows = Array.from({ length: 100 }, (_, i) => ({ device: spreadDevice(i), names: [] }));
    expect(scatter(rows, emptyWindow, 9).inFile).toBe(0);
    expect(scatter(rows, emptyWindow, 8).inFile).toBe(1);
    expect(scatter(rows, emptyWindow, 1).inFile).toBe(8);
  });

  it('spills partly filled blocks on request, and frees them', () => {
    const rows = Array.from({ length: 20 }, (_, i) => ({ device: spreadDevice(i), names: [] }));
    const kept = scatter(rows, emptyWindow, 9);
    expect(kept).toMatchObject({ inFile: 0, unused: 7 });
    const spilled = scatter(rows, emptyWindow, 9, { spillAll: true });
    expect(spilled).toMatchObject({ inFile: 1, unused: 8 });
    expect(spilled.parts).toEqual(kept.parts);
  });

  it('replaces segment numbers, and drops those that are left out', () => {
    const numbering = Uint32Array.of(7, leftOut, 5);
    const device = spreadDevice(1);
    const rows: Row[] = [
      { device, names: [0] },
      { device, names: [1] },
      { device, names: [] },
      { device, names: [0, 1, 2] },
      { device, names: [1, 2] },
      { device, names: [1, 1] },
      { device, names: null, removes: true },
      { device, names: [1], removes: true },
      { device, names: [2, 0], removes: true },
    ];
    const expected: Row[] = [
      { device, names: [7] },
      { device, names: [] },
      { device, names: [] },
      { device, names: [7, 5] },
      { device, names: [5] },
      { device, names: [] },
      { device, names: null, removes: true },
      { device, names: [], removes: true },
      { device, names: [5, 7], removes: true },
    ];
    const all = scatter(rows, emptyWindow, 8, { numbering });
    expect(all.parts.get(0)).toEqual(expected);
    expect(all).toMatchObject({ areShort: false, numbers: 8 });
    const isShort = ({ names }: Row) => (names?.length ?? 0) < 2;
    const short = scatter(rows.filter(isShort), emptyWindow, 8, { numbering });
    expect(short.parts.get(0)).toEqual(expected.filter((_, i) => isShort(rows[i]!)));
    expect(short).toMatchObject({ areShort: true, numbers: 8 });
  });

  it('splits a row that is longer than a block', () => {
    const device = spreadDevice(1);
    const names = Array.from({ length: 200 }, (_, i) => i);
    const found = scatter(
      [
        { device, names },
        { device, names, removes: true },
      ],
      emptyWindow,
      4,
    );
    const rows = found.parts.get(0)!;
    expect(rows.length).toBeGreaterThan(6);
    for (const removes of [undefined, true]) {
      const cut = rows.filter((row) => row.removes === removes);
      expect(cut.flatMap((row) => row.names)).toEqual(names);
    }
    expect(found.numbers).toBe(200);
  });

  it('fails to begin a part without a block', () => {
    expect(() => scatter([{ device: spreadDevice(1), names: [] }], emptyWindow, 0)).toThrow(
      'no block was granted',
    );
  });
});
