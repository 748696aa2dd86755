/** The sizes of universe and audience, in devices. */
export interface Population {
  /** |U|: every device that has an attribute. */
  readonly universeDevices: number;
  /** |M|: devices of the audience that are in the universe. */
  readonly matchedDevices: number;
}

export interface AttributeDevices {
  /** |M∩a|. */
  readonly audienceDevices: number;
  /** |a|. */
  readonly baselineDevices: number;
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
 * Compares an attribute's share of the audience with its share of the universe. Figures based on
 * fewer devices than the threshold, with the attribute or without it, are withheld.
 */
export function compositionCell(
  population: Population,
  attribute: AttributeDevices,
  threshold: number,
): CompositionCell {
  const baselineShare = attribute.baselineDevices / population.universeDevices;
  const withheld = withheldBecause(population, attribute, threshold);
  if (withheld) {
    return { ...nothing, baselineShare: finite(baselineShare), suppressed: withheld };
  }
  const audienceShare = attribute.audienceDevices / population.matchedDevices;
  const index = (100 * audienceShare) / baselineShare;
  const reach = Math.exp(normalQuantile * logRatioError(population, attribute));
  return {
    audienceDevices: attribute.audienceDevices,
    audienceShare: finite(audienceShare),
    baselineShare: finite(baselineShare),
    index: finite(index),
    // The error of a share of zero is infinite, so neither end of the interval is known.
    indexLow: Number.isFinite(reach) ? finite(index / reach) : null,
    indexHigh: finite(index * reach),
    z: finite(zScore(population, attribute)),
    suppressed: undefinedBecause(population, attribute),
  };
}

const nothing = {
  audienceDevices: null,
  audienceShare: null,
  index: null,
  indexLow: null,
  indexHigh: null,
  z: null,
} as const;

function withheldBecause(
  { matchedDevices }: Population,
  { audienceDevices }: AttributeDevices,
  threshold: number,
): SuppressionReason | null {
  if (matchedDevices < threshold) return 'audience_too_small';
  if (audienceDevices < threshold) return 'too_few_devices';
  return matchedDevices - audienceDevices < threshold ? 'too_few_others' : null;
}

/** Which denominator is zero. All but the last are possible only with a threshold of zero. */
function undefinedBecause(
  { universeDevices, matchedDevices }: Population,
  { audienceDevices, baselineDevices }: AttributeDevices,
): SuppressionReason | null {
  if (matchedDevices === 0) return 'audience_too_small';
  if (audienceDevices === 0) return 'too_few_devices';
  if (baselineDevices >= universeDevices) return 'too_few_others';
  return matchedDevices >= universeDevices ? 'no_devices_outside' : null;
}

/**
 * The standard error of the logarithm of the ratio of shares, by the delta method. It treats the
 * shares as independent. The audience is part of the universe, so the interval is rather too wide.
 */
function logRatioError(
  { universeDevices: u, matchedDevices: m }: Population,
  { audienceDevices: x, baselineDevices: a }: AttributeDevices,
): number {
  return Math.sqrt((1 - x / m) / x + (1 - a / u) / a);
}

/** Two-proportion z-test of the audience and the rest of the universe, with pooled variance. */
function zScore(
  { universeDevices: u, matchedDevices: m }: Population,
  { audienceDevices: x, baselineDevices: a }: AttributeDevices,
): number {
  const outside = u - m;
  const pooled = a / u;
  const difference = x / m - (a - x) / outside;
  return difference / Math.sqrt(pooled * (1 - pooled) * (1 / m + 1 / outside));
}

function finite(figure: number): number | null {
  return Number.isFinite(figure) ? figure : null;
}
