import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AttributeCounts,
  type CompositionCell,
  compositionCell,
  exactly,
  type Population,
} from './composition.ts';

const threshold = 50;
const numRuns = process.env.TRIBUTARY_SOAK === '1' ? 20_000 : 1_000;

/** By the letters of the formulas: |U|, |M|, |a| and |M∩a|. */
function cellOf(u: number, m: number, a: number, x: number, least = threshold): CompositionCell {
  return compositionCell(
    { baseline: exactly(u), matched: exactly(m), isNested: true },
    { audience: exactly(x), baseline: exactly(a) },
    least,
  );
}

function noisedCell(u: number, m: number, a: number, x: number, isNested = true): CompositionCell {
  const noised = (devices: number) => ({ devices, noiseVariance: 200 });
  return compositionCell(
    { baseline: noised(u), matched: noised(m), isNested },
    { audience: noised(x), baseline: noised(a) },
    threshold,
  );
}

function separateCell(u: number, m: number, a: number, x: number): CompositionCell {
  return compositionCell(
    { baseline: exactly(u), matched: exactly(m), isNested: false },
    { audience: exactly(x), baseline: exactly(a) },
    threshold,
  );
}

const withheld = {
  audienceDevices: null,
  audienceShare: null,
  audienceShareLow: null,
  audienceShareHigh: null,
  index: null,
  indexLow: null,
  indexHigh: null,
  z: null,
};

describe('calculated by hand', () => {
  test('an attribute that is twice as frequent in the audience', () => {
    // Shares 0.2 and 0.1. In the audience (1/200 − 1/1000)²·1000·0.2·0.8 = 0.00256, outside it
    // 9000·p(1 − p)/1000² = 0.00073024 with p = 802/9004: se = 0.0573606, e^(se·1.96) = 1.118988.
    // Wilson: (0.2 + 0.00192073 ± 1.96·sqrt(0.00016 + 0.00000096036)) / 1.00384146.
    // Outside 800/9000, pooled 0.1: z = 0.1111111 / sqrt(0.09·(1/1000 + 1/9000)) = 0.1111111 / 0.01.
    const cell = cellOf(10_000, 1_000, 1_000, 200);
    expect(cell).toEqual({
      audienceDevices: 200,
      audienceShare: 0.2,
      audienceShareLow: expect.closeTo(0.176377, 5),
      audienceShareHigh: expect.closeTo(0.225919, 5),
      baselineDevices: 1_000,
      baselineShare: 0.1,
      index: 200,
      indexLow: expect.closeTo(200 / 1.118988, 2),
      indexHigh: expect.closeTo(200 * 1.118988, 2),
      z: expect.closeTo(11.1111111, 6),
      suppressed: null,
    });
  });

  test('an attribute that is half as frequent', () => {
    // Shares 0.25 and 0.5. In the audience (1/100 − 1/800)²·400·0.25·0.75 = 0.0057421875, outside it
    // 1200·p(1 − p)/800² = 0.00045582 with p = 702/1204: se = 0.0787274, e^(se·1.96) = 1.166844.
    // Outside 700/1200, pooled 0.5: z = (0.25 − 0.5833333) / sqrt(0.25·(1/400 + 1/1200)).
    const cell = cellOf(1_600, 400, 800, 100);
    expect(cell).toEqual({
      audienceDevices: 100,
      audienceShare: 0.25,
      audienceShareLow: expect.closeTo(0.210079, 5),
      audienceShareHigh: expect.closeTo(0.294677, 5),
      baselineDevices: 800,
      baselineShare: 0.5,
      index: 50,
      indexLow: expect.closeTo(50 / 1.166844, 3),
      indexHigh: expect.closeTo(50 * 1.166844, 3),
      z: expect.closeTo(-11.5470054, 6),
      suppressed: null,
    });
  });

  test('an attribute that is equally frequent', () => {
    const cell = cellOf(10_000, 1_000, 3_000, 300);
    expect(cell).toMatchObject({ index: 100, z: 0, suppressed: null });
    expect(cell.indexLow! * cell.indexHigh!).toBeCloseTo(10_000, 6);
  });
});

describe('a cell is withheld, but its baseline is shown', () => {
  test.each([
    ['for an audience below the threshold', [1_000, 49, 500, 0], 'audience_too_small', 0.5],
    ['for an empty audience', [1_000, 0, 500, 0], 'audience_too_small', 0.5],
    ['with too few devices', [1_000, 200, 500, 49], 'too_few_devices', 0.5],
    ['with none', [1_000, 200, 0, 0], 'too_few_devices', 0],
    ['with too few others', [1_000, 200, 500, 151], 'too_few_others', 0.5],
    ['with no others', [1_000, 200, 1_000, 200], 'too_few_others', 1],
    ['with too few of both', [1_000, 60, 500, 30], 'too_few_devices', 0.5],
  ] as const)('%s', (_, [u, m, a, x], suppressed, baselineShare) => {
    expect(cellOf(u, m, a, x)).toEqual({
      ...withheld,
      baselineDevices: a,
      baselineShare,
      suppressed,
    });
  });

  test('unless the baseline is noised and below the threshold', () => {
    const cell = (a: number, x: number) => noisedCell(1_000, 200, a, x);
    expect(cell(49, 20)).toMatchObject({ baselineDevices: null, baselineShare: null });
    expect(cell(50, 20)).toMatchObject({ baselineDevices: 50, baselineShare: 0.05 });
    expect(cell(49, 60)).toMatchObject({
      audienceDevices: 60,
      baselineDevices: null,
      index: null,
      z: null,
      suppressed: 'too_few_in_baseline',
    });
  });

  test('but not at the threshold itself', () => {
    expect(cellOf(1_000, 100, 500, 50)).toMatchObject({ audienceDevices: 50, suppressed: null });
  });

  test('according to the given threshold', () => {
    expect(cellOf(1_000, 100, 500, 50, 51).suppressed).toBe('too_few_devices');
    expect(cellOf(1_000, 10, 500, 4, 4)).toMatchObject({ audienceDevices: 4, suppressed: null });
  });

  test('without a baseline if the universe is empty', () => {
    expect(cellOf(0, 0, 0, 0)).toEqual({
      ...withheld,
      baselineDevices: 0,
      baselineShare: null,
      suppressed: 'audience_too_small',
    });
  });
});

describe('a zero denominator gives null with the reason', () => {
  test('if no device is outside the audience, only z is null', () => {
    const cell = cellOf(400, 400, 100, 100);
    expect(cell).toMatchObject({ audienceDevices: 100, audienceShare: 0.25, index: 100 });
    expect(cell).toMatchObject({ z: null, suppressed: 'no_devices_outside' });
    // The same set cannot differ from itself.
    expect(cell).toMatchObject({ indexLow: 100, indexHigh: 100 });
  });

  test.each([
    ['an empty universe', [0, 0, 0, 0], { baselineShare: null }, 'audience_too_small'],
    ['an empty audience', [9, 0, 3, 0], { audienceShare: null, index: null }, 'audience_too_small'],
    ['no device', [9, 3, 3, 0], { index: 0, indexLow: null, indexHigh: null }, 'too_few_devices'],
    ['an attribute without devices', [9, 3, 0, 0], { index: null, z: null }, 'too_few_devices'],
    ['an attribute of all devices', [9, 3, 9, 3], { index: 100, z: null }, 'too_few_others'],
  ] as const)('without a threshold, for %s', (_, [u, m, a, x], figures, suppressed) => {
    expect(cellOf(u, m, a, x, 0)).toMatchObject({ ...figures, suppressed });
  });
});

describe('a baseline that is another audience', () => {
  test('is compared as an independent set', () => {
    // Shares 0.2 and 0.1. se² = 0.8/200 + 0.9/1000 = 0.0049, e^(0.07·1.96) = 1.1470546.
    // Pooled 1200/11000: z = 0.1 / sqrt(0.1090909·0.8909091·(1/1000 + 1/10000)).
    expect(separateCell(10_000, 1_000, 1_000, 200)).toMatchObject({
      index: 200,
      indexLow: expect.closeTo(200 / 1.1470546, 3),
      indexHigh: expect.closeTo(200 * 1.1470546, 3),
      z: expect.closeTo(9.671474, 4),
      suppressed: null,
    });
    // It may be the smaller set.
    expect(separateCell(200, 1_000, 100, 200)).toMatchObject({ index: 40, suppressed: null });
  });

  test.each([
    ['few devices have', [10_000, 1_000, 49, 200]],
    ['few devices lack', [10_000, 1_000, 9_951, 200]],
    ['there are few devices at all', [60, 1_000, 20, 200]],
  ] as const)('is withheld if %s the attribute', (_, [u, m, a, x]) => {
    expect(separateCell(u, m, a, x)).toEqual({
      ...withheld,
      audienceDevices: 200,
      audienceShare: 0.2,
      audienceShareLow: expect.any(Number),
      audienceShareHigh: expect.any(Number),
      baselineDevices: null,
      baselineShare: null,
      suppressed: 'too_few_in_baseline',
    });
  });
});

test('noise makes the intervals wider and z smaller', () => {
  for (const isNested of [true, false]) {
    const exact = isNested
      ? cellOf(10_000, 1_000, 1_000, 200)
      : separateCell(10_000, 1_000, 1_000, 200);
    const noised = noisedCell(10_000, 1_000, 1_000, 200, isNested);
    expect(noised.index).toBe(exact.index);
    expect(noised.audienceShareLow).toBeLessThan(exact.audienceShareLow!);
    expect(noised.audienceShareHigh).toBeGreaterThan(exact.audienceShareHigh!);
    expect(noised.indexLow).toBeLessThan(exact.indexLow!);
    expect(noised.indexHigh).toBeGreaterThan(exact.indexHigh!);
    expect(noised.z).toBeLessThan(exact.z!);
  }
});

/** Possible set sizes, with some just at a limit. */
const sets = fc
  .record({
    outsideWithout: size(),
    outsideWith: size(),
    insideWithout: size(),
    insideWith: size(),
  })
  .map(({ outsideWithout, outsideWith, insideWithout, insideWith }) => ({
    population: {
      baseline: exactly(outsideWithout + outsideWith + insideWithout + insideWith),
      matched: exactly(insideWithout + insideWith),
      isNested: true,
    },
    attribute: { audience: exactly(insideWith), baseline: exactly(outsideWith + insideWith) },
  }));

function size() {
  return fc.oneof(fc.nat(120), fc.nat(2_000_000_000), fc.constantFrom(0, 1, 49, 50, 51));
}

function figuresOf(cell: CompositionCell): (number | null)[] {
  return Object.values(cell).filter((value) => typeof value !== 'string');
}

function areFinite(figures: readonly (number | null)[]): boolean {
  return figures.every((figure) => Number.isFinite(figure ?? 0));
}

function check(
  holds: (cell: CompositionCell, population: Population, attribute: AttributeCounts) => void,
  least = threshold,
): void {
  const property = fc.property(sets, ({ population, attribute }) =>
    holds(compositionCell(population, attribute, least), population, attribute),
  );
  fc.assert(property, { numRuns });
}

describe('for any sets', () => {
  test('figures are withheld below the threshold and shown above it', () => {
    check((cell, { matched: { devices: m } }, { audience: { devices: x } }) => {
      const few = Math.min(x, m - x) < threshold;
      expect(cell.audienceDevices).toBe(few ? null : x);
      for (const figure of [cell.audienceShare, cell.index, cell.indexLow, cell.indexHigh]) {
        expect(figure === null).toBe(few);
      }
      if (few) expect(cell.z).toBeNull();
    });
  });

  test('every figure is a finite number or null, and a null has a reason', () => {
    for (const least of [0, 1, threshold]) {
      check((cell) => {
        expect(figuresOf(cell)).toSatisfy(areFinite);
        const { baselineShare: _, suppressed, ...ofAudience } = cell;
        const isWhole = Object.values(ofAudience).every((figure) => figure !== null);
        expect(isWhole).toBe(suppressed === null);
      }, least);
    }
  });

  test('the figures are consistent', () => {
    check((cell, { baseline: { devices: u } }, { baseline: { devices: a } }) => {
      expect(cell.baselineShare).toBe(u === 0 ? null : a / u);
      if (cell.index === null) return;
      expect(cell.indexLow).toBeLessThanOrEqual(cell.index);
      expect(cell.indexHigh).toBeGreaterThanOrEqual(cell.index);
      // The interval is symmetric in the logarithm.
      const middle = Math.sqrt(cell.indexLow! * cell.indexHigh!);
      expect(Math.abs(middle / cell.index - 1)).toBeLessThan(1e-9);
      if (cell.z === null || Math.abs(cell.z) < 1e-3) return;
      expect(Math.sign(cell.z)).toBe(Math.sign(cell.index - 100));
    });
  });

  test('z squared is the chi-squared statistic of the same four numbers', () => {
    check((cell, population, attribute) => {
      if (cell.z === null) return;
      const [u, m] = [population.baseline.devices, population.matched.devices];
      const [a, x] = [attribute.baseline.devices, attribute.audience.devices];
      // Exact up to the last division, because the four numbers are integers.
      const [inside, outside] = [BigInt(m), BigInt(u - m)];
      const cross = BigInt(x) * BigInt(u) - BigInt(a) * inside;
      const squared =
        (Number(cross * cross) / Number(inside * outside)) *
        (Number(BigInt(u)) / Number(BigInt(a) * BigInt(u - a)));
      expect(Math.abs(cell.z ** 2 - squared)).toBeLessThan(1e-6 * Math.max(1, squared));
    });
  });

  test('inconsistent counts still give finite figures', () => {
    const counts = fc.record({ u: size(), m: size(), a: size(), x: size() });
    const property = fc.property(counts, fc.constantFrom(0, 1, 50), ({ u, m, a, x }, least) => {
      expect(figuresOf(cellOf(u, m, a, x, least))).toSatisfy(areFinite);
      expect(figuresOf(noisedCell(u, m, a, x))).toSatisfy(areFinite);
      expect(figuresOf(noisedCell(u, m, a, x, false))).toSatisfy(areFinite);
    });
    fc.assert(property, { numRuns });
  });
});
