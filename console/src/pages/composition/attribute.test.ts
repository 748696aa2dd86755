import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { isDescribed, readAttributes } from './attribute.ts';

describe('an attribute', () => {
  it.each([
    ['over', wireAttribute({ index: 120, z: 1.9, q: 0.049 })],
    ['under', wireAttribute({ index: 80, z: -1.9, q: 0.049 })],
    ['level', wireAttribute({ index: 180, z: 3, q: 0.05 })],
    ['level', wireAttribute({ index: 60, z: -3, q: 0.05 })],
    ['withheld', withheldAttribute('too_few_devices')],
  ])('is %s', (standing, wire) => {
    expect(readAttributes(compositionOf([wire]))[0]?.standing).toBe(standing);
  });

  it('is level if there are no devices outside the audience to compare with', () => {
    const wire = wireAttribute({ index: 100, z: null, q: null, suppressed: 'no_devices_outside' });
    const [attribute] = readAttributes(compositionOf([wire]));
    expect(attribute).toMatchObject({ standing: 'level', reason: 'no_devices_outside' });
    expect(isDescribed(attribute!)).toBe(true);
  });

  it('cannot be plotted if it is withheld', () => {
    const [attribute] = readAttributes(compositionOf([withheldAttribute('too_few_others')]));
    expect(isDescribed(attribute!)).toBe(false);
  });

  it('has its place in the hierarchy', () => {
    const [attribute] = readAttributes(compositionOf([wireAttribute()]));
    expect(attribute).toMatchObject({
      ancestors: ['Autos'],
      leaf: 'Intenders',
      category: 'Autos',
      searchText: 'autos > intenders',
    });
  });
});
