import { describe, expect, test } from 'vitest';
import { chancesOf, draw, saltOf } from './affinity.ts';
import { createPopulation, type Trait, traitNames } from './traits.ts';

const devices = 50_000;
const { traits } = createPopulation(devices);

function has(bits: number, trait: Trait): boolean {
  return (bits & (1 << traitNames.indexOf(trait))) !== 0;
}

function shareOf(trait: Trait, among: (bits: number) => boolean = () => true): number {
  const group = traits.filter(among);
  return group.filter((bits) => has(bits, trait)).length / group.length;
}

describe('the people behind the devices', () => {
  test('have one age and at most one residence', () => {
    const ages = ['young', 'midlife', 'older', 'retired'] as const;
    const numbersOfAges = traits.map((bits) => ages.filter((age) => has(bits, age)).length);
    expect(new Set(numbersOfAges)).toEqual(new Set([1]));
    const inBoth = traits.filter((bits) => has(bits, 'city') && has(bits, 'rural'));
    expect(inBoth).toHaveLength(0);
  });

  test('have each trait at its stated frequency, multiplied by the lifts of other traits', () => {
    expect(shareOf('young')).toBeCloseTo(0.24, 2);
    const amongParents = shareOf('newParent', (bits) => has(bits, 'parent'));
    const amongOthers = shareOf('newParent', (bits) => !has(bits, 'parent'));
    expect(amongParents / amongOthers).toBeGreaterThan(8);
  });

  test('are the same in every run and for every population size', () => {
    expect(createPopulation(1_000).traits).toEqual(traits.slice(0, 1_000));
  });
});

describe('chances', () => {
  test('are the share times the lifts of all traits, at most 1', () => {
    const affinity = { share: 0.125, lifts: { young: 2, city: 0.5, rural: 100 } };
    const chances = chancesOf([affinity, { share: 0.5 }], ['young', 'city', 'rural']);
    const of = (bits: number) =>
      Array.from(chances.slice(2 * bits, 2 * bits + 2), (n) => n / 2 ** 32);
    expect(of(0b000)).toEqual([0.125, 0.5]);
    expect(of(0b001)).toEqual([0.25, 0.5]);
    expect(of(0b011)).toEqual([0.125, 0.5]);
    expect(of(0b100)[0]).toBeCloseTo(1, 9);
  });

  test('draws for two purposes are independent', () => {
    const [one, other] = [saltOf('one'), saltOf('other')];
    const isLow = (drawn: number) => drawn < 2 ** 31;
    const numbers = Array.from({ length: devices }, (_, device) => device);
    const both = numbers.filter((device) => isLow(draw(device, one)) && isLow(draw(device, other)));
    expect(both.length / devices).toBeCloseTo(0.25, 2);
  });
});
