import { type Comparison, indexInterval, shareInterval, zScore } from './statistics/comparison.ts';

/** A number of devices, and the variance of the noise that was added to it: 0 if it is exact. */
export interface Count {
  readonly devices: number;
  readonly noiseVariance: number;
}

/** The sizes of the two sets that a report compares. */
export interface Population {
  /** |U|: the devices to compare with, such as every device that has an attribute. */
  readonly baseline: Count;
  /** |M|: the devices of the audience that are compared with them. */
  readonly matched: Count;
  /** Whether the audience's matched devices are part of the baseline. */
  readonly isNested: boolean;
}

/** An attribute's devices in both sets. */
export interface AttributeCounts {
  /** |M∩a|. */
  readonly audience: Count;
  /** |a|, within the baseline. */
  readonly baseline: Count;
}

export function exactly(devices: number): Count {
  return { devices, noiseVariance: 0 };
}

/** Why figures are withheld, or cannot be computed. */
export const suppressionReasons = [
  'audience_too_small',
  'too_few_devices',
  'too_few_others',
  'too_few_in_baseline',
  'no_devices_outside',
] as const;
type SuppressionReason = (typeof suppressionReasons)[number];

/** The figures of one attribute in a composition, not rounded. */
export interface CompositionCell {
  readonly audienceDevices: number | null;
  readonly audienceShare: number | null;
  /** The 95% confidence interval of the share. */
  readonly audienceShareLow: number | null;
  readonly audienceShareHigh: number | null;
  readonly baselineDevices: number | null;
  readonly baselineShare: number | null;
  /** 100 if the attribute has the same share in audience and baseline. */
  readonly index: number | null;
  /** The 95% confidence interval of the index. */
  readonly indexLow: number | null;
  readonly indexHigh: number | null;
  /** By how many standard errors the share in the audience exceeds the share outside it. */
  readonly z: number | null;
  readonly suppressed: SuppressionReason | null;
}

/**
 * Compares an attribute's share of the audience with its share of the baseline. Figures based on
 * fewer devices than the threshold, with the attribute or without it, are withheld.
 */
export function compositionCell(
  population: Population,
  attribute: AttributeCounts,
  threshold: number,
): CompositionCell {
  const compared = comparisonOf(population, attribute);
  const isBaselineShown = !isBaselineWithheld(compared, threshold);
  const baseline = isBaselineShown ? baselineFigures(compared) : noBaseline;
  const withheld = withheldBecause(compared, threshold);
  if (withheld) return { ...noAudience, ...baseline, ...noComparison, suppressed: withheld };
  const audience = audienceFigures(compared);
  if (!isBaselineShown) {
    return { ...audience, ...baseline, ...noComparison, suppressed: 'too_few_in_baseline' };
  }
  return {
    ...audience,
    ...baseline,
    ...comparisonFigures(compared),
    suppressed: undefinedBecause(compared),
  };
}

function comparisonOf(population: Population, attribute: AttributeCounts): Comparison {
  const [u, m] = [population.baseline, population.matched];
  const [a, x] = [attribute.baseline, attribute.audience];
  return {
    u: u.devices,
    m: m.devices,
    a: a.devices,
    x: x.devices,
    noise: {
      u: u.noiseVariance,
      m: m.noiseVariance,
      a: a.noiseVariance,
      x: x.noiseVariance,
    },
    isNested: population.isNested,
  };
}

const noAudience = {
  audienceDevices: null,
  audienceShare: null,
  audienceShareLow: null,
  audienceShareHigh: null,
} as const;

function audienceFigures(compared: Comparison) {
  const [low, high] = shareInterval(compared);
  return {
    audienceDevices: compared.x,
    audienceShare: finite(compared.x / compared.m),
    audienceShareLow: finite(low),
    audienceShareHigh: finite(high),
  };
}

const noBaseline = { baselineDevices: null, baselineShare: null } as const;

function baselineFigures({ u, a }: Comparison) {
  return { baselineDevices: a, baselineShare: finite(a / u) };
}

const noComparison = { index: null, indexLow: null, indexHigh: null, z: null } as const;

function comparisonFigures(compared: Comparison) {
  const { u, m, a, x } = compared;
  const [low, high] = indexInterval(compared);
  return {
    index: finite((100 * (x / m)) / (a / u)),
    indexLow: finite(low),
    indexHigh: finite(high),
    z: finite(zScore(compared)),
  };
}

function withheldBecause({ m, x }: Comparison, threshold: number): SuppressionReason | null {
  if (m < threshold) return 'audience_too_small';
  if (x < threshold) return 'too_few_devices';
  return m - x < threshold ? 'too_few_others' : null;
}

/**
 * The size of an attribute is always shown if it is exact. A small one with noise says little. A baseline that
 * is another audience is withheld by the same rule as the audience itself.
 */
function isBaselineWithheld({ u, a, noise, isNested }: Comparison, threshold: number): boolean {
  if (isNested) return noise.a > 0 && a < threshold;
  return Math.min(a, u - a) < threshold;
}

/** Which denominator is zero. All but the last are possible only with a threshold of zero, or noise. */
function undefinedBecause({ u, m, a, x, isNested }: Comparison): SuppressionReason | null {
  if (m === 0) return 'audience_too_small';
  if (x === 0) return 'too_few_devices';
  if (a === 0) return 'too_few_in_baseline';
  if (a >= u && (isNested || x >= m)) return 'too_few_others';
  return isNested && m >= u ? 'no_devices_outside' : null;
}

function finite(figure: number): number | null {
  return Number.isFinite(figure) ? figure : null;
}
