import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { falseDiscoveryRates, twoSidedProbability } from './false-discoveries.ts';

describe('the two-sided probability of z', () => {
  // From tables with more digits than a double has.
  test.each([
    [0, 1],
    [0.5, 0.6170750774519738],
    [1, 0.31731050786291415],
    [1.959963984540054, 0.05],
    [2.8284271247461903, 0.004677734981047266],
    [3, 0.0026997960632601866],
    [5, 5.733031437583867e-7],
    [10, 1.523970604832094e-23],
    [30, 9.813427854297537e-198],
  ])('of %d is %d', (z, probability) => {
    expect(twoSidedProbability(z) / probability).toBeCloseTo(1, 11);
    expect(twoSidedProbability(-z)).toBe(twoSidedProbability(z));
  });

  test('falls to 0 without an error', () => {
    expect(twoSidedProbability(1e6)).toBe(0);
  });
});

describe('the q-values of Benjamini and Hochberg', () => {
  const rates = (...probabilities: number[]) =>
    probabilities.map(falseDiscoveryRates(probabilities));

  test('calculated by hand', () => {
    // In order: 0.01·4/1, 0.03·4/2 = 0.06, which the next lowers to 0.0375·4/3 = 0.05, and 0.5·4/4.
    expect(rates(0.03, 0.01, 0.5, 0.0375)).toEqual([
      expect.closeTo(0.05),
      0.04,
      0.5,
      expect.closeTo(0.05),
    ]);
    expect(rates(0.3)).toEqual([0.3]);
    expect(rates()).toEqual([]);
    expect(rates(0, 0, 1)).toEqual([0, 0, 1]);
  });

  test('accept the same tests as the step-up procedure at any level', () => {
    const some = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });
    const level = fc.double({ min: 0.001, max: 1, noNaN: true });
    fc.assert(
      fc.property(some, level, (probabilities, wanted) => {
        const ordered = probabilities.toSorted((one, other) => one - other);
        const n = ordered.length;
        const last = ordered.findLastIndex((p, i) => (p * n) / (i + 1) <= wanted);
        const accepted = probabilities.map((p) => last !== -1 && p <= ordered[last]!);
        expect(rates(...probabilities).map((q) => q <= wanted)).toEqual(accepted);
      }),
    );
  });

  test('keep the false discoveries among 1,000 attributes, of which 20 differ, at 5%', () => {
    // The others are what chance gives: their probabilities are spread evenly.
    const probabilities = Array.from({ length: 1_000 }, (_, i) =>
      i < 20 ? twoSidedProbability(6) : (i - 19.5) / 980,
    );
    expect(probabilities.filter((p) => p < 0.05)).toHaveLength(20 + 49);
    expect(rates(...probabilities).filter((q) => q < 0.05)).toHaveLength(20 + 1);
  });
});
