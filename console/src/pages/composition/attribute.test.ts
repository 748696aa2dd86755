import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { isDescribed, readAttributes } from './attribute.ts';

describe('an attribute as it is read', () => {
  it.each([
    ['over', wireAttribute({ index: 120, z: 1.96 })],
    ['under', wireAttribute({ index: 80, z: -1.96 })],
    ['level', wireAttribute({ index: 180, z: 1.95 })],
    ['level', wireAttribute({ index: 60, z: -1.95 })],
    ['withheld', withheldAttribute('too_few_devices')],
  ])('stands %s', (standing, wire) => {
    expect(readAttributes(compositionOf([wire]))[0]?.standing).toBe(standing);
  });

  it('is level if there is nothing outside the audience to compare with', () => {
    const wire = wireAttribute({ index: 100, z: null, suppressed: 'no_devices_outside' });
    const [attribute] = readAttributes(compositionOf([wire]));
    expect(attribute).toMatchObject({ standing: 'level', reason: 'no_devices_outside' });
    expect(isDescribed(attribute!)).toBe(true);
  });

  it('cannot be drawn if it is withheld', () => {
    const [attribute] = readAttributes(compositionOf([withheldAttribute('too_few_others')]));
    expect(isDescribed(attribute!)).toBe(false);
  });

  it('knows its place', () => {
    const [attribute] = readAttributes(compositionOf([wireAttribute()]));
    expect(attribute).toMatchObject({
      ancestors: ['Autos'],
      leaf: 'Intenders',
      category: 'Autos',
      searchText: 'autos > intenders',
    });
  });
});
