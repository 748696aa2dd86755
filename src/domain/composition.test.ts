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

const withheld = {
  audienceDevices: null,
  audienceShare: null,
  index: null,
  indexLow: null,
  indexHigh: null,
  z: null,
};

describe('calculated by hand', () => {
  test('an attribute that is twice as frequent in the audience', () => {
    // Shares 0.2 and 0.1. se² = 0.8/200 + 0.9/1000 = 0.0049, se = 0.07, e^(0.07·1.96) = 1.147055.
    // Outside 800/9000, pooled 0.1: z = 0.1111111 / sqrt(0.09·(1/1000 + 1/9000)) = 0.1111111 / 0.01.
    const cell = cellOf(10_000, 1_000, 1_000, 200);
    expect(cell).toEqual({
      audienceDevices: 200,
      audienceShare: 0.2,
      baselineDevices: 1_000,
      baselineShare: 0.1,
      index: 200,
      indexLow: expect.closeTo(200 / 1.1470546, 3),
      indexHigh: expect.closeTo(200 * 1.1470546, 3),
      z: expect.closeTo(11.1111111, 6),
      suppressed: null,
    });
  });

  test('an attribute that is half as frequent', () => {
    // Shares 0.25 and 0.5. se² = 0.75/100 + 0.5/800 = 0.008125, se = 0.0901388, e^(…·1.96) = 1.193226.
    // Outside 700/1200, pooled 0.5: z = (0.25 − 0.5833333) / sqrt(0.25·(1/400 + 1/1200)).
    const cell = cellOf(1_600, 400, 800, 100);
    expect(cell).toEqual({
      audienceDevices: 100,
      audienceShare: 0.25,
      baselineDevices: 800,
      baselineShare: 0.5,
      index: 50,
      indexLow: expect.closeTo(50 / 1.193226, 3),
      indexHigh: expect.closeTo(50 * 1.193226, 3),
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
    const noised = (devices: number) => ({ devices, noiseVariance: 200 });
    const cell = (baseline: number) =>
      compositionCell(
        { baseline: noised(1_000), matched: noised(200), isNested: true },
        { audience: noised(20), baseline: noised(baseline) },
        threshold,
      );
    expect(cell(49)).toMatchObject({ baselineDevices: null, baselineShare: null });
    expect(cell(50)).toMatchObject({ baselineDevices: 50, baselineShare: 0.05 });
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
    expect(cell.indexLow).toBeLessThan(100);
    expect(cell.indexHigh).toBeGreaterThan(100);
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
        for (const figure of figuresOf(cell)) expect(figure ?? 0).toSatisfy(Number.isFinite);
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
      for (const figure of figuresOf(cellOf(u, m, a, x, least))) {
        expect(figure ?? 0).toSatisfy(Number.isFinite);
      }
    });
    fc.assert(property, { numRuns });
  });
});
