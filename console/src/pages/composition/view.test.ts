import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columns, orders } from './ordering.ts';
import { plainView, queryOfView, viewOfQuery, viewWords } from './view.ts';

describe('a view in the address', () => {
  it('is said in words, for the paper', () => {
    expect(viewWords(plainView)).toEqual(['Over-indexing first']);
    expect(viewWords({ ...plainView, category: null, search: ' tea ', order: 'share' })).toEqual([
      'Category: none',
      'Names with: tea',
      'Largest share first',
    ]);
  });

  it('is omitted if it is the default', () => {
    expect(queryOfView(plainView)).toBe('');
    expect(viewOfQuery('')).toEqual(plainView);
  });

  it('falls back to the default for invalid values', () => {
    expect(viewOfQuery('?order=sideways&sort=-shoe&utm_source=mail')).toEqual(plainView);
  });

  it('is read back unchanged for any category name', () => {
    const view = fc.record({
      order: fc.constantFrom(...orders),
      sort: fc.option(
        fc.record({ column: fc.constantFrom(...columns), isDescending: fc.boolean() }),
        { nil: undefined },
      ),
      search: fc.string({ unit: 'grapheme' }),
      category: fc.option(fc.option(fc.string({ unit: 'grapheme', minLength: 1 })), {
        nil: undefined,
      }),
      isGrouped: fc.boolean(),
      baseline: fc.constantFrom('universe', 'partner:3', 'audience:12'),
    });
    fc.assert(
      fc.property(view, (kept) => {
        expect(viewOfQuery(queryOfView(kept))).toEqual(kept);
      }),
    );
  });
});
