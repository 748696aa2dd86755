import { describe, expect, it } from 'vitest';
import { categoriesOf, compareNames, hierarchyOf } from './hierarchy.ts';

describe('the place of a name in the hierarchy', () => {
  it('is given by the parts between separators', () => {
    expect(hierarchyOf(['Autos > Owners > Electric'])).toEqual([
      { ancestors: ['Autos', 'Owners'], leaf: 'Electric', category: 'Autos' },
    ]);
  });

  it('has no category if the name has no parent', () => {
    expect(hierarchyOf(['Pet owners'])).toEqual([
      { ancestors: [], leaf: 'Pet owners', category: null },
    ]);
  });

  it('is the category that the name itself heads', () => {
    const [top] = hierarchyOf(['Autos', 'Autos > Owners']);
    expect(top).toEqual({ ancestors: [], leaf: 'Autos', category: 'Autos' });
  });

  it.each(['a>b', ' > b', 'a > ', 'a >  > b', 'a > b > '])('is undefined in %j', (name) => {
    expect(hierarchyOf([name])).toEqual([{ ancestors: [], leaf: name, category: null }]);
  });
});

describe('categories', () => {
  it('are counted and sorted by name, with uncategorised attributes last', () => {
    const places = hierarchyOf(['Pets', 'B > 1', 'a > 1', 'B > 2', 'Cats']);
    expect(categoriesOf(places)).toEqual([
      { name: 'a', attributes: 1 },
      { name: 'B', attributes: 2 },
      { name: null, attributes: 2 },
    ]);
  });
});

describe('names', () => {
  it('with numbers are sorted by number', () => {
    expect(['Age 100', 'Age 9', 'age 10'].toSorted(compareNames)).toEqual([
      'Age 9',
      'age 10',
      'Age 100',
    ]);
  });
});
