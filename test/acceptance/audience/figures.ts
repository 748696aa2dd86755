import type { AttributeCell } from './ingest.ts';

/** An attribute and its devices, by number. */
export interface KnownAttribute {
  readonly attributeId: number;
  readonly name: string;
  readonly devices: ReadonlySet<number>;
}

const suppressed = {
  audience_devices: null,
  audience_share: null,
  audience_share_low: null,
  audience_share_high: null,
  index: null,
  index_low: null,
  index_high: null,
  z: null,
  q: null,
};

/** The expected figures of each attribute, calculated by the documented definitions. */
export function expectedCells(
  audience: ReadonlySet<number>,
  attributes: readonly KnownAttribute[],
  threshold = 50,
  universe: ReadonlySet<number> = unionOf(attributes),
): AttributeCell[] {
  const matched = overlapOf(audience, universe);
  const cells = attributes.map(({ attributeId, name, devices }) => {
    const [u, m, a] = [universe.size, matched.size, devices.size];
    const x = overlapOf(matched, devices).size;
    const baseline = {
      attribute_id: attributeId,
      name,
      baseline_devices: a,
      baseline_share: u === 0 ? null : a / u,
    };
    const why = reason(x, m, threshold);
    return why
      ? { ...baseline, ...suppressed, suppressed: why }
      : { ...baseline, ...figures(x, m, a, u) };
  });
  const probabilities = cells.flatMap(({ z }) => (z === null ? [] : [probability(z)]));
  return cells.map((cell) => ({
    ...cell,
    q: cell.z === null ? null : discoveryRate(probability(cell.z), probabilities),
    exact: true,
  }));
}

/** By Benjamini and Hochberg: the least n·p/rank of this and all greater probabilities. */
function discoveryRate(one: number, all: readonly number[]): number {
  const rates = all
    .filter((p) => p >= one)
    .map((p) => (p * all.length) / all.filter((other) => other <= p).length);
  return Math.min(1, ...rates);
}

/** How likely a difference of at least z standard errors is by chance: the normal density, by Simpson's rule. */
function probability(z: number): number {
  const from = Math.abs(z);
  const steps = 4_000;
  const width = 25 / Math.max(3, from) / steps;
  // Relative to the density at z, so that the far tail keeps its digits.
  const densityAt = (t: number) => Math.exp(-t * (from + t / 2));
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 0 ? 2 : 4;
    sum += weight * densityAt(i * width);
  }
  return (2 * Math.exp(-(from ** 2) / 2) * sum * width) / 3 / Math.sqrt(2 * Math.PI);
}

/** The devices that have at least one of the attributes. */
export function unionOf(attributes: readonly Pick<KnownAttribute, 'devices'>[]): Set<number> {
  const union = new Set<number>();
  for (const { devices } of attributes) for (const number of devices) union.add(number);
  return union;
}

export function overlapOf(one: ReadonlySet<number>, other: ReadonlySet<number>): Set<number> {
  return new Set([...one].filter((number) => other.has(number)));
}

function reason(x: number, m: number, threshold: number): string | undefined {
  if (m < threshold) return 'audience_too_small';
  if (x < threshold) return 'too_few_devices';
  return m - x < threshold ? 'too_few_others' : undefined;
}

function figures(x: number, m: number, a: number, u: number) {
  const [inAudience, inUniverse] = [x / m, a / u];
  const index = (100 * inAudience) / inUniverse;
  const others = u - m;
  // Two devices are added on each side, so that no device outside is not taken for certain.
  const outside = (a - x + 2) / (others + 4);
  const error = Math.sqrt(
    (1 / x - 1 / a) ** 2 * m * inAudience * (1 - inAudience) +
      (others * outside * (1 - outside)) / a ** 2,
  );
  const quantile = 1.959963984540054;
  const factor = Math.exp(quantile * error);
  const centre = x + quantile ** 2 / 2;
  const reach = quantile * Math.sqrt(x * (1 - inAudience) + quantile ** 2 / 4);
  const pooled = a / u;
  const spread = Math.sqrt(pooled * (1 - pooled) * (1 / m + 1 / others));
  return {
    audience_devices: x,
    audience_share: inAudience,
    audience_share_low: (centre - reach) / (m + quantile ** 2),
    audience_share_high: (centre + reach) / (m + quantile ** 2),
    index,
    index_low: index / factor,
    index_high: index * factor,
    z: others === 0 ? null : (inAudience - (a - x) / others) / spread,
    suppressed: others === 0 ? 'no_devices_outside' : null,
  };
}

/** The figures, rounded, so differences in the last digits do not matter; without the supplier. */
export function rounded<T extends object>(rows: readonly T[]): T[] {
  return rows.map((row) => {
    const { partner_id: _, ...figures } = row as T & { readonly partner_id?: number };
    const entries = Object.entries(figures).map(([member, value]) => [
      member,
      typeof value === 'number' ? roundedFigure(value, member === 'q' ? 5 : 10) : value,
    ]);
    return Object.fromEntries(entries) as T;
  });
}

/** Numbers below 1e-300 have few digits left. Simpson's rule gives fewer right ones than the other formulas. */
function roundedFigure(value: number, digits: number): number {
  return Math.abs(value) < 1e-300 ? 0 : Number(value.toPrecision(digits));
}
