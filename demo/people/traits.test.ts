import { describe, expect, test } from 'vitest';
import { chancesOf, draw, saltOf } from './affinity.ts';
import { createPopulation, type Trait, traitNames } from './traits.ts';

const devices = 50_000;
const { traits } = createPopulation(devices);

function has(bits: number, trait: Trait): boolean {
  return (bits & (1 << traitNames.indexOf(trait))) !== 0;
}

function shareOf(trait: Trait, among: (bits: number) => boolean = () => true): number {
  const asked = traits.filter(among);
  return asked.filter((bits) => has(bits, trait)).length / asked.length;
}

describe('the people behind the devices', () => {
  test('have one age each, and do not live in two places', () => {
    const ages = ['young', 'midlife', 'older', 'retired'] as const;
    const numbersOfAges = traits.map((bits) => ages.filter((age) => has(bits, age)).length);
    expect(new Set(numbersOfAges)).toEqual(new Set([1]));
    const inBoth = traits.filter((bits) => has(bits, 'city') && has(bits, 'rural'));
    expect(inBoth).toHaveLength(0);
  });

  test('have a trait as often as it says, and more often where another lifts it', () => {
    expect(shareOf('young')).toBeCloseTo(0.24, 2);
    const amongParents = shareOf('newParent', (bits) => has(bits, 'parent'));
    const amongOthers = shareOf('newParent', (bits) => !has(bits, 'parent'));
    expect(amongParents / amongOthers).toBeGreaterThan(8);
  });

  test('are the same in every run, however many there are', () => {
    expect(createPopulation(1_000).traits).toEqual(traits.slice(0, 1_000));
  });
});

describe('chances', () => {
  test('are the share times every lift of a trait that is held, and 1 at most', () => {
    const affinity = { share: 0.125, lifts: { young: 2, city: 0.5, rural: 100 } };
    const chances = chancesOf([affinity, { share: 0.5 }], ['young', 'city', 'rural']);
    const of = (bits: number) =>
      Array.from(chances.slice(2 * bits, 2 * bits + 2), (n) => n / 2 ** 32);
    expect(of(0b000)).toEqual([0.125, 0.5]);
    expect(of(0b001)).toEqual([0.25, 0.5]);
    expect(of(0b011)).toEqual([0.125, 0.5]);
    expect(of(0b100)[0]).toBeCloseTo(1, 9);
  });

  test('draws for two purposes know nothing of each other', () => {
    const [one, other] = [saltOf('one'), saltOf('other')];
    const isLow = (drawn: number) => drawn < 2 ** 31;
    const numbers = Array.from({ length: devices }, (_, device) => device);
    const both = numbers.filter((device) => isLow(draw(device, one)) && isLow(draw(device, other)));
    expect(both.length / devices).toBeCloseTo(0.25, 2);
  });
});
