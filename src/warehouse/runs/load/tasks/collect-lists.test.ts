import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexRows } from '../../devices/rows.ts';
import { hexOf, packRows, type Row, spreadDevice } from '../../testing/rows.ts';
import { countLists, createListCollector, removalsFromAll, removalsOf } from './collect-lists.ts';
import { createRowCombiner } from './combine-rows.ts';

const collector = createListCollector();
const segments = 4;

function collect(groups: readonly (readonly Row[])[], removals: boolean) {
  const lists = { segments, removals };
  collector.begin(lists);
  for (const rows of groups) {
    const words = packRows(rows.toSorted((a, b) => (a.device < b.device ? -1 : 1)));
    const positions = new Uint32Array(rows.length);
    indexRows(words, positions);
    collector.reserve(rows.length, words.length);
    collector.add(words, positions, rows.length);
  }
  const { devices, added, listed, counts } = collector.finish((words) => new Uint32Array(words));
  const all = hexOf(listed);
  let end = 0;
  const byList = Array.from(counts, (count) => {
    end += count;
    return all.slice(end - count, end);
  });
  expect(all).toHaveLength(end);
  expect(byList).toHaveLength(countLists(lists));
  return { devices: hexOf(devices), added: hexOf(added), byList };
}

function distinct(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ device }) => device))].sort();
}

const names = fc.array(fc.nat(segments - 1), { maxLength: 5 });
const device = fc.nat(30).map((number) => number.toString(16).padStart(32, '0'));
const adding: fc.Arbitrary<Row> = fc.record({ device, names });
const removing: fc.Arbitrary<Row> = fc
  .record({ device, names })
  .map(({ device, names }) => ({ device, names: names.length ? names : null, removes: true }));

describe('createListCollector', () => {
  it('puts each device once on every list that its rows name', () => {
    fc.assert(
      fc.property(fc.array(adding, { maxLength: 200 }), (rows) => {
        const found = collect([rows], false);
        expect(found.devices).toEqual(distinct(rows));
        expect(found.added).toEqual(found.devices);
        for (const [number, devices] of found.byList.entries()) {
          expect(devices).toEqual(distinct(rows.filter(({ names }) => names?.includes(number))));
        }
      }),
    );
  });

  it('keeps removals separate from additions', () => {
    const rows = fc.array(fc.oneof(adding, removing), { maxLength: 200 });
    fc.assert(
      fc.property(rows, (rows) => {
        const found = collect([rows], true);
        const additions = rows.filter(({ removes }) => !removes);
        const removals = rows.filter(({ removes }) => removes);
        expect(found.devices).toEqual(distinct(rows));
        expect(found.added).toEqual(distinct(additions));
        const lists = { segments, removals: true };
        for (let number = 0; number < segments; number++) {
          const naming = (of: readonly Row[]) =>
            distinct(of.filter(({ names }) => names?.includes(number)));
          expect(found.byList[number]).toEqual(naming(additions));
          expect(found.byList[removalsOf(number, lists)]).toEqual(naming(removals));
        }
        const fromAll = removals.filter(({ names }) => names === null);
        expect(found.byList[removalsFromAll(lists)]).toEqual(distinct(fromAll));
      }),
    );
  });

  it('collects several parts, and can be used again', () => {
    const part = (from: number) =>
      Array.from({ length: 5000 }, (_, i) => ({
        device: (from + (i % 3000)).toString(16).padStart(32, '0'),
        names: [i % segments],
      }));
    for (const from of [0, 100_000]) {
      const groups = [part(from), part(from + 50_000)];
      const found = collect(groups, false);
      expect(found.devices).toEqual(distinct(groups.flat()));
      expect(found.byList.flat().toSorted()).toEqual(
        [...new Set(groups.flat().map(({ device, names }) => `${device} ${names}`))]
          .map((pair) => pair.slice(0, 32))
          .sort(),
      );
    }
  });
});

describe('createRowCombiner', () => {
  it('keeps the meaning of all rows of a device', () => {
    const one = spreadDevice(1);
    const rows = fc.array(
      fc.oneof(adding, removing).map((row) => ({ ...row, device: one })),
      {
        minLength: 1,
        maxLength: 100,
      },
    );
    fc.assert(
      fc.property(rows, fc.integer({ min: 7, max: 20 }), (rows, maxRowWords) => {
        const combiner = createRowCombiner();
        const half = Math.ceil(rows.length / 2);
        for (const some of [rows.slice(0, half), rows.slice(half)]) combiner.add(packRows(some));
        const combined = combiner.finish(maxRowWords);
        const positions = new Uint32Array(combined.length);
        const { count } = indexRows(combined, positions);
        positions[count] = combined.length;
        for (let i = 0; i < count; i++) {
          expect(positions[i + 1]! - positions[i]!).toBeLessThanOrEqual(maxRowWords);
        }
        collector.begin({ segments, removals: true });
        collector.reserve(count, combined.length);
        collector.add(combined, positions, count);
        const { counts } = collector.finish((words) => new Uint32Array(words));
        const expected = collect([rows], true);
        expect([...counts]).toEqual(expected.byList.map(({ length }) => length));
      }),
    );
  });
});
