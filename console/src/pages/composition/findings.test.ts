import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { readAttributes } from './attribute.ts';
import { findingsOf, nothingStandsOut } from './findings.ts';

function findings(...wire: ReturnType<typeof wireAttribute>[]) {
  const { over, under } = findingsOf(readAttributes(compositionOf(wire)));
  return { over: over.map(({ index }) => index), under: under.map(({ index }) => index) };
}

describe('what stands out', () => {
  const withInterval = (index: number, factor: number) =>
    wireAttribute({ index, index_low: index / factor, index_high: index * factor, z: index - 100 });

  it('is the three most different attributes in each direction, most different first', () => {
    const over = [150, 400, 200, 300].map((index) => withInterval(index, 1.1));
    const under = [80, 20, 60, 40].map((index) => withInterval(index, 1.1));
    expect(findings(...over, ...under)).toEqual({ over: [400, 300, 200], under: [20, 40, 60] });
  });

  it('ranks by the end of the interval that is nearer to 100', () => {
    const small = [withInterval(400, 3), withInterval(25, 3)];
    const large = [withInterval(200, 1.1), withInterval(50, 1.1)];
    expect(findings(...small, ...large)).toEqual({ over: [200, 400], under: [50, 25] });
  });

  it('excludes insignificant, small and withheld differences', () => {
    const chance = wireAttribute({ index: 500, z: 2.9, q: 0.06 });
    const slight = [109, 91].map((index) => wireAttribute({ index, z: index - 100 }));
    expect(findings(chance, ...slight, withheldAttribute('too_few_devices'))).toEqual({
      over: [],
      under: [],
    });
  });

  it('claims nothing about attributes whose figures are withheld', () => {
    const words = (...wire: ReturnType<typeof wireAttribute>[]) =>
      nothingStandsOut(findingsOf(readAttributes(compositionOf(wire))));
    const withheld = withheldAttribute('too_few_devices');
    const others = withheldAttribute('too_few_others');
    expect(words(withheld, others)).toBe(
      'There are too few devices to tell. The figures of all 2 attributes are withheld.',
    );
    expect(words(withheld)).toContain('the only attribute');
    const level = wireAttribute({ index: 104, z: 0.4, q: 0.7 });
    expect(words(level, withheld)).toMatch(
      /^Nothing stands out: .* of 1 attribute are withheld\.$/,
    );
    expect(words(level)).not.toContain('withheld');
  });
});
