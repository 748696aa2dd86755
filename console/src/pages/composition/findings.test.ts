import { describe, expect, it } from 'vitest';
import { compositionOf, wireAttribute, withheldAttribute } from './attribute.fixture.ts';
import { readAttributes } from './attribute.ts';
import { findingsOf } from './findings.ts';

function findings(...wire: ReturnType<typeof wireAttribute>[]) {
  const { over, under } = findingsOf(readAttributes(compositionOf(wire)));
  return { over: over.map(({ index }) => index), under: under.map(({ index }) => index) };
}

describe('what stands out', () => {
  it('is the three most different attributes in each direction, most different first', () => {
    const over = [150, 400, 200, 300].map((index) => wireAttribute({ index, z: 9 }));
    const under = [80, 20, 60, 40].map((index) => wireAttribute({ index, z: -9 }));
    expect(findings(...over, ...under)).toEqual({ over: [400, 300, 200], under: [20, 40, 60] });
  });

  it('excludes insignificant, small and withheld differences', () => {
    const chance = wireAttribute({ index: 500, z: 1.9 });
    const slight = [109, 91].map((index) => wireAttribute({ index, z: index - 100 }));
    expect(findings(chance, ...slight, withheldAttribute('too_few_devices'))).toEqual({
      over: [],
      under: [],
    });
  });
});
