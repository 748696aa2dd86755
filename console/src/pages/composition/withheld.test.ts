import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { readAttributes } from './attribute.ts';
import { withheldBecause, withheldOf } from './withheld.ts';

describe('withheld attributes', () => {
  it('are grouped by reason, without those that have figures', () => {
    const attributes = readAttributes(
      compositionOf([
        withheldAttribute('too_few_devices', { name: 'a' }),
        wireAttribute({ name: 'b' }),
        withheldAttribute('too_few_others', { name: 'c' }),
        withheldAttribute('too_few_devices', { name: 'd' }),
        wireAttribute({ name: 'e', z: null, q: null, suppressed: 'no_devices_outside' }),
      ]),
    );
    const withheld = withheldOf(attributes).map(({ reason, attributes: same }) => [
      reason,
      same.map(({ name }) => name),
    ]);
    expect(withheld).toEqual([
      ['too_few_devices', ['a', 'd']],
      ['too_few_others', ['c']],
    ]);
  });

  it('have a text for each reason', () => {
    expect(new Set(Object.values(withheldBecause)).size).toBe(5);
  });
});
