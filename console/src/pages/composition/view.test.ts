import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orders } from './ordering.ts';
import { plainView, queryOfView, viewOfQuery } from './view.ts';

describe('a view in the address', () => {
  it('is nothing if it is the plain one', () => {
    expect(queryOfView(plainView)).toBe('');
    expect(viewOfQuery('')).toEqual(plainView);
  });

  it('is plain where the address says nonsense', () => {
    expect(viewOfQuery('?order=sideways&utm_source=mail')).toEqual(plainView);
  });

  it('comes back as it was, whatever categories are called', () => {
    const view = fc.record({
      order: fc.constantFrom(...orders),
      search: fc.string({ unit: 'grapheme' }),
      category: fc.option(fc.option(fc.string({ unit: 'grapheme', minLength: 1 })), {
        nil: undefined,
      }),
      isGrouped: fc.boolean(),
    });
    fc.assert(
      fc.property(view, (kept) => {
        expect(viewOfQuery(queryOfView(kept))).toEqual(kept);
      }),
    );
  });
});
