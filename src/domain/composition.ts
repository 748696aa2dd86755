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
  'no_devices_outside',
] as const;
type SuppressionReason = (typeof suppressionReasons)[number];

/** The figures of one attribute in a composition, not rounded. */
export interface CompositionCell {
  readonly audienceDevices: number | null;
  readonly audienceShare: number | null;
  /** Null if it is not exact and below the threshold. */
  readonly baselineDevices: number | null;
  readonly baselineShare: number | null;
  /** 100 if the attribute has the same share in audience and universe. */
  readonly index: number | null;
  /** The 95% confidence interval of the index. */
  readonly indexLow: number | null;
  readonly indexHigh: number | null;
  /** By how many standard errors the share in the audience exceeds the share in the rest of the universe. */
  readonly z: number | null;
  readonly suppressed: SuppressionReason | null;
}

/** The 97.5% quantile of the normal distribution, for a two-sided 95% interval. */
const normalQuantile = 1.959963984540054;

/**
 * Compares an attribute's share of the audience with its share of the baseline. Figures based on
 * fewer devices than the threshold, with the attribute or without it, are withheld.
 */
export function compositionCell(
  population: Population,
  attribute: AttributeCounts,
  threshold: number,
): CompositionCell {
  const sizes = sizesOf(population, attribute);
  const baseline = baselineFigures(sizes, attribute.baseline, threshold);
  const withheld =
    withheldBecause(sizes, threshold) ??
    (baseline.baselineDevices === null ? 'too_few_devices' : null);
  if (withheld) return { ...nothing, ...baseline, suppressed: withheld };
  const { u, m, a, x } = sizes;
  const audienceShare = x / m;
  const index = (100 * audienceShare) / (a / u);
  const reach = Math.exp(normalQuantile * logRatioError(sizes));
  return {
    audienceDevices: x,
    audienceShare: finite(audienceShare),
    ...baseline,
    index: finite(index),
    // The error of a share of zero is infinite, so neither end of the interval is known.
    indexLow: Number.isFinite(reach) ? finite(index / reach) : null,
    indexHigh: finite(index * reach),
    z: finite(zScore(sizes)),
    suppressed: undefinedBecause(sizes),
  };
}

/** By the letters of the formulas: |U|, |M|, |a| and |M∩a|. */
interface Sizes {
  readonly u: number;
  readonly m: number;
  readonly a: number;
  readonly x: number;
}

function sizesOf({ baseline, matched }: Population, attribute: AttributeCounts): Sizes {
  return {
    u: baseline.devices,
    m: matched.devices,
    a: attribute.baseline.devices,
    x: attribute.audience.devices,
  };
}

function baselineFigures({ u, a }: Sizes, { noiseVariance }: Count, threshold: number) {
  if (noiseVariance > 0 && a < threshold) return { baselineDevices: null, baselineShare: null };
  return { baselineDevices: a, baselineShare: finite(a / u) };
}

const nothing = {
  audienceDevices: null,
  audienceShare: null,
  index: null,
  indexLow: null,
  indexHigh: null,
  z: null,
} as const;

function withheldBecause({ m, x }: Sizes, threshold: number): SuppressionReason | null {
  if (m < threshold) return 'audience_too_small';
  if (x < threshold) return 'too_few_devices';
  return m - x < threshold ? 'too_few_others' : null;
}

/** Which denominator is zero. All but the last are possible only with a threshold of zero. */
function undefinedBecause({ u, m, a, x }: Sizes): SuppressionReason | null {
  if (m === 0) return 'audience_too_small';
  if (x === 0) return 'too_few_devices';
  if (a >= u) return 'too_few_others';
  return m >= u ? 'no_devices_outside' : null;
}

/**
 * The standard error of the logarithm of the ratio of shares, by the delta method. It treats the
 * shares as independent. The audience is part of the baseline, so the interval is rather too wide.
 */
function logRatioError({ u, m, a, x }: Sizes): number {
  return Math.sqrt((1 - x / m) / x + (1 - a / u) / a);
}

/** Two-proportion z-test of the audience and the rest of the baseline, with pooled variance. */
function zScore({ u, m, a, x }: Sizes): number {
  const outside = u - m;
  const pooled = a / u;
  const difference = x / m - (a - x) / outside;
  return difference / Math.sqrt(pooled * (1 - pooled) * (1 / m + 1 / outside));
}

function finite(figure: number): number | null {
  return Number.isFinite(figure) ? figure : null;
}
