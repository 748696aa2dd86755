import { describe, expect, test } from 'vitest';
import { type Comparison, indexInterval, shareInterval } from './comparison.ts';

/** Each coverage has a standard error of 0.3%. */
const rounds = 4_000;

/** The scale of the noise in the noised cases, and its variance: 2q/(1 − q)² with q = e^(−1/scale). */
const scale = 10;
const decay = Math.exp(-1 / scale);
const laplaceVariance = (2 * decay) / (1 - decay) ** 2;

interface World {
  readonly u: number;
  readonly m: number;
  /** The probability of the attribute inside and outside the audience, or in the audience and the baseline. */
  readonly inside: number;
  readonly outside: number;
  readonly isNested: boolean;
  readonly isNoised: boolean;
  /** The variance of the noise that the intervals are computed with. */
  readonly assumedVariance: number;
}

/** How often the intervals hold the truth, in draws from a world. */
function coverage(world: World, seed: number): { share: number; index: number } {
  const { u, m, inside, outside, isNested } = world;
  const random = seeded(seed);
  const others = isNested ? u - m : u;
  const baselineShare = isNested ? (m * inside + others * outside) / u : outside;
  const index = (100 * inside) / baselineShare;
  const held = { share: 0, index: 0 };
  for (let round = 0; round < rounds; round++) {
    const x = binomial(random, m, inside);
    const a = binomial(random, others, outside) + (isNested ? x : 0);
    const seen = (devices: number) =>
      world.isNoised ? Math.max(0, devices + laplace(random)) : devices;
    const v = world.assumedVariance;
    const compared: Comparison = {
      u: seen(u),
      m: seen(m),
      a: seen(a),
      x: seen(x),
      noise: { u: v, m: v, a: v, x: v },
      isNested,
    };
    if (holds(shareInterval(compared), inside)) held.share++;
    if (holds(indexInterval(compared), index)) held.index++;
  }
  return { share: held.share / rounds, index: held.index / rounds };
}

function holds([low, high]: readonly [number, number], truth: number): boolean {
  return low <= truth && truth <= high;
}

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** By inversion, in parts of at most 500 expected, because (1 − p)^n of more would be 0. */
function binomial(random: () => number, n: number, p: number): number {
  const most = Math.floor(500 / p);
  if (n > most) return binomial(random, most, p) + binomial(random, n - most, p);
  const odds = p / (1 - p);
  let [k, probability, left] = [0, (1 - p) ** n, random()];
  while (left > probability && k < n) {
    left -= probability;
    probability *= (odds * (n - k)) / (k + 1);
    k++;
  }
  return k;
}

/** The difference of two geometric variables. */
function laplace(random: () => number): number {
  const geometric = () => Math.floor(-Math.log(1 - random()) * scale);
  return geometric() - geometric();
}

/** The coverages of worlds in which the attribute is rarer, as frequent and more frequent in the audience. */
function coverages(
  expected: number,
  isNested: boolean,
  isNoised: boolean,
  assumedVariance = isNoised ? laplaceVariance : 0,
) {
  const [u, m] = [5_000, 1_000];
  const inside = expected / m;
  return [0.5, 1, 2].map((times, seed) =>
    coverage({ u, m, inside, outside: inside / times, isNested, isNoised, assumedVariance }, seed),
  );
}

const baselines = [
  ['nested', true],
  ['separate', false],
] as const;

// These are coverages of all draws. If only draws above a threshold are shown, and the truth is near the
// threshold, the shown intervals hold less often, because chance or noise raised the counts.
describe.each(baselines)('in a %s baseline, the intervals hold the truth', (_, isNested) => {
  test.each([
    [20, false],
    [50, false],
    [100, false],
    [50, true],
    [100, true],
  ])('in 93 to 97 of 100 draws: %d devices expected, noised: %s', (expected, isNoised) => {
    for (const { share, index } of coverages(expected, isNested, isNoised)) {
      expect(share).toSatisfy(isAbout95);
      expect(index).toSatisfy(isAbout95);
    }
  });

  test('somewhat more often for shares of 10 devices', () => {
    for (const { share, index } of coverages(10, isNested, false)) {
      expect(share).toBeGreaterThan(0.95);
      expect(share).toBeLessThan(0.98);
      expect(index).toSatisfy(isAbout95);
    }
  });

  test('too rarely if the noise is ignored', () => {
    const ignored = coverages(50, isNested, true, 0);
    for (const { share, index } of ignored) {
      expect(share).toBeLessThan(0.8);
      expect(index).toBeLessThan(0.8);
    }
  });
});

test('the index of an attribute that hardly any device outside the audience has', () => {
  for (const [seed, expected] of [1, 3, 10].entries()) {
    for (const isNoised of [false, true]) {
      const [u, m] = [5_000, 1_000];
      const rare = { u, m, inside: 0.05, outside: expected / (u - m), isNested: true, isNoised };
      const assumedVariance = isNoised ? laplaceVariance : 0;
      expect(coverage({ ...rare, assumedVariance }, seed).index).toBeGreaterThan(0.95);
    }
  }
});

function isAbout95(coverage: number): boolean {
  return coverage >= 0.93 && coverage <= 0.97;
}
