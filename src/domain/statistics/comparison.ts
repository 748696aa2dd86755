/** Devices of two sets, by the letters of the formulas. */
interface Letters {
  /** |U|: the baseline. */
  readonly u: number;
  /** |M|: the audience. */
  readonly m: number;
  /** |U∩a|: the baseline's devices that have the attribute. */
  readonly a: number;
  /** |M∩a|: the audience's. */
  readonly x: number;
}

/** How many devices of an audience and of a baseline have an attribute. */
export interface Comparison extends Letters {
  /** The variance of the noise that was added to each count, 0 if it is exact. */
  readonly noise: Letters;
  /** Whether the audience is part of the baseline. Otherwise the two are taken as independent. */
  readonly isNested: boolean;
}

/** The 97.5% quantile of the normal distribution, for a two-sided 95% interval. */
const normalQuantile = 1.959963984540054;

type Interval = readonly [low: number, high: number];

/**
 * The 95% interval of the audience's share x/m, by Wilson's score method, which holds for small
 * counts. With the variance of the noise, its ends are the two solutions p of
 * (x/m − p)² = z²·(p(1 − p)/m + (σx² + p²σm²)/m²).
 */
export function shareInterval({ m, x, noise }: Comparison): Interval {
  const share = x / m;
  const perDevice = normalQuantile ** 2 / m;
  const a = 1 + perDevice - (perDevice / m) * noise.m;
  const b = 2 * share + perDevice;
  const c = share ** 2 - (perDevice / m) * noise.x;
  // Noise of about half the audience's size says nothing about its shares.
  if (a <= 0) return [0, 1];
  const root = Math.sqrt(Math.max(0, b ** 2 - 4 * a * c));
  return [fraction((b - root) / (2 * a)), fraction((b + root) / (2 * a))];
}

/** The 95% interval of the index, 100·(x/m)/(a/u). It is symmetric in the logarithm. */
export function indexInterval(compared: Comparison): Interval {
  const { u, m, a, x } = compared;
  const index = (100 * (x / m)) / (a / u);
  const factor = Math.exp(normalQuantile * Math.sqrt(logRatioVariance(compared)));
  // The error of a share of zero is infinite, so neither end of the interval is known.
  return Number.isFinite(factor) ? [index / factor, index * factor] : [Number.NaN, Number.NaN];
}

/**
 * The variance of the logarithm of the ratio of shares, by the delta method. In a nested baseline, a is
 * x and the devices outside the audience, so an error of x changes both shares. The share outside is
 * estimated with two more devices on each side (Agresti–Coull): none may be seen where a few are expected.
 */
function logRatioVariance({ u, m, a, x, noise, isNested }: Comparison): number {
  const added = noise.x / x ** 2 + noise.a / a ** 2 + noise.m / m ** 2 + noise.u / u ** 2;
  if (!isNested) return fraction(1 - x / m) / x + fraction(1 - a / u) / a + added;
  const outside = Math.max(0, u - m);
  const inside = fraction(x / m);
  const others = (Math.min(outside, Math.max(0, a - x)) + 2) / (outside + 4);
  const ofInside = (1 / x - 1 / a) ** 2 * m * inside * (1 - inside);
  const ofOthers = (outside * others * (1 - others)) / a ** 2;
  return ofInside + ofOthers + added;
}

/**
 * A two-proportion z-test with pooled variance. It compares the audience with the baseline's devices
 * outside the audience. NaN if there are none, or if all devices have the attribute or none has.
 */
export function zScore({ u, m, a, x, noise, isNested }: Comparison): number {
  const [others, withIt] = isNested ? [u - m, a - x] : [u, a];
  const pooled = (x + withIt) / (m + others);
  if (!(others > 0 && pooled > 0 && pooled < 1)) return Number.NaN;
  const sampling = pooled * (1 - pooled) * (1 / m + 1 / others);
  // The squares of the derivatives of the difference. Noise in x and m also changes the others.
  const shared = isNested ? 1 : 0;
  const [byAudience, byOthers] = [x / m ** 2, withIt / others ** 2];
  const added =
    noise.x * (1 / m + shared / others) ** 2 +
    noise.a / others ** 2 +
    noise.m * (byAudience + shared * byOthers) ** 2 +
    noise.u * byOthers ** 2;
  return (x / m - withIt / others) / Math.sqrt(sampling + added);
}

/** Noised counts may give shares below 0 or above 1. */
function fraction(share: number): number {
  return Math.min(1, Math.max(0, share));
}
