import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute } from './attribute.fixture.ts';
import { readAttributes } from './attribute.ts';
import { filtered } from './filtering.ts';
import { groupedByCategory } from './grouping.ts';

const attributes = readAttributes(
  compositionOf(
    ['Travel > City breaks', 'Autos > Electric cars', 'Pet owners', 'Travel > Cars to rent'].map(
      (name) => wireAttribute({ name }),
    ),
  ),
);

function found(search: string, category?: string | null): string[] {
  return filtered(attributes, { search, category }).map(({ leaf }) => leaf);
}

describe('the filter', () => {
  it('matches everything if it is empty', () => {
    expect(found('  ')).toHaveLength(4);
  });

  it('requires every word in the name, ignoring case', () => {
    expect(found('CARS')).toEqual(['Electric cars', 'Cars to rent']);
    expect(found('cars travel')).toEqual(['Cars to rent']);
    expect(found('cars boats')).toEqual([]);
  });

  it('does not interpret words as patterns', () => {
    expect(found('.*')).toEqual([]);
  });

  it('selects a category, or attributes without one', () => {
    expect(found('', 'Travel')).toEqual(['City breaks', 'Cars to rent']);
    expect(found('', null)).toEqual(['Pet owners']);
  });
});

describe('groups', () => {
  it('are in the order of their first attributes, which keep their order', () => {
    const groups = groupedByCategory(attributes);
    expect(groups.map(({ category }) => category)).toEqual(['Travel', 'Autos', null]);
    expect(groups[0]?.attributes.map(({ leaf }) => leaf)).toEqual(['City breaks', 'Cars to rent']);
  });
});
