import { expect, test } from 'vitest';
import {
  compositionOf,
  wireAttribute,
  withheldAttribute,
} from '../composition/attribute.fixture.ts';
import { readAttributes } from '../composition/attribute.ts';
import { comparisonOf } from './comparison.ts';

const read = (...wire: ReturnType<typeof wireAttribute>[]) => readAttributes(compositionOf(wire));
const tea = { attribute_id: 1, name: 'Tea' };
const vans = { attribute_id: 2, name: 'Vans' };
const rare = { attribute_id: 3, name: 'Rare' };

test('attributes of both reports are joined, the clearest difference first', () => {
  const one = read(
    wireAttribute(tea),
    wireAttribute(vans),
    withheldAttribute('too_few_devices', rare),
  );
  const other = read(
    wireAttribute(tea),
    wireAttribute({ ...vans, index: 50 }),
    wireAttribute(rare),
  );
  const ratios = read(
    wireAttribute({ ...tea, z: 2 }),
    wireAttribute({ ...vans, z: -9 }),
    withheldAttribute('too_few_devices', rare),
  );
  const compared = comparisonOf(one, other, ratios);
  expect(compared.map(({ name }) => name)).toEqual(['Vans', 'Tea', 'Rare']);
  expect(compared[0]?.other.index).toBe(50);
  expect(compared[2]?.one.standing).toBe('withheld');
});

test('an attribute that one report does not have yet is left out', () => {
  expect(comparisonOf(read(wireAttribute(tea)), [], read(wireAttribute(tea)))).toEqual([]);
});
