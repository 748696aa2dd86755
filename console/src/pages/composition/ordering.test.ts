import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { readAttributes } from './attribute.ts';
import { columns, inOrder, type Sort, sortAfterPress, sorted } from './ordering.ts';

const attributes = readAttributes(
  compositionOf([
    withheldAttribute('too_few_devices', { name: 'withheld' }),
    wireAttribute({ name: 'usual', index: 100, audience_share: 0.6 }),
    wireAttribute({ name: 'rare', index: 40, audience_share: 0.1 }),
    wireAttribute({ name: 'b frequent', index: 300, audience_share: 0.3 }),
    wireAttribute({ name: 'a frequent', index: 300, audience_share: 0.3 }),
  ]),
);

function names(ordered: readonly { name: string }[]): string[] {
  return ordered.map(({ name }) => name);
}

describe('the orders of the plot', () => {
  it('start with the highest index, the lowest index or the largest share', () => {
    expect(names(inOrder(attributes, 'over'))).toEqual([
      'a frequent',
      'b frequent',
      'usual',
      'rare',
      'withheld',
    ]);
    expect(names(inOrder(attributes, 'under')).slice(0, 2)).toEqual(['rare', 'usual']);
    expect(names(inOrder(attributes, 'share'))[0]).toBe('usual');
  });
});

describe('the sort of the table', () => {
  it('puts withheld attributes last in both directions', () => {
    for (const isDescending of [true, false]) {
      expect(names(sorted(attributes, { column: 'z', isDescending })).at(-1)).toBe('withheld');
    }
  });

  it('sorts by name in both directions', () => {
    const sort: Sort = { column: 'name', isDescending: false };
    expect(names(sorted(attributes, sort))[0]).toBe('a frequent');
    expect(names(sorted(attributes, { ...sort, isDescending: true }))[0]).toBe('withheld');
  });

  it('keeps every attribute and does not change the list', () => {
    const before = names(attributes);
    fc.assert(
      fc.property(fc.constantFrom(...columns), fc.boolean(), (column, isDescending) => {
        const rows = sorted(attributes, { column, isDescending });
        expect(new Set(rows)).toEqual(new Set(attributes));
      }),
    );
    expect(names(attributes)).toEqual(before);
  });

  it('reverses when the column is pressed again, and starts with the largest figures', () => {
    const byIndex: Sort = { column: 'index', isDescending: true };
    expect(sortAfterPress(byIndex, 'index')).toEqual({ column: 'index', isDescending: false });
    expect(sortAfterPress(byIndex, 'z')).toEqual({ column: 'z', isDescending: true });
    expect(sortAfterPress(byIndex, 'name')).toEqual({ column: 'name', isDescending: false });
  });
});
