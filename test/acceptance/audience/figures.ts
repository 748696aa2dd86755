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
  index: null,
  index_low: null,
  index_high: null,
  z: null,
};

/** The expected figures of each attribute, calculated by the documented definitions. */
export function expectedCells(
  audience: ReadonlySet<number>,
  attributes: readonly KnownAttribute[],
  threshold = 50,
  universe: ReadonlySet<number> = unionOf(attributes),
): AttributeCell[] {
  const matched = overlapOf(audience, universe);
  return attributes.map(({ attributeId, name, devices }) => {
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
  const error = Math.sqrt((1 - inAudience) / x + (1 - inUniverse) / a);
  const factor = Math.exp(1.959963984540054 * error);
  const others = u - m;
  const pooled = a / u;
  const spread = Math.sqrt(pooled * (1 - pooled) * (1 / m + 1 / others));
  return {
    audience_devices: x,
    audience_share: inAudience,
    index,
    index_low: index / factor,
    index_high: index * factor,
    z: others === 0 ? null : (inAudience - (a - x) / others) / spread,
    suppressed: others === 0 ? 'no_devices_outside' : null,
  };
}

/** Rounds figures, so differences in the last digits do not matter. */
export function rounded<T extends object>(rows: readonly T[]): T[] {
  return rows.map((row) => {
    const entries = Object.entries(row).map(([member, value]) => [
      member,
      typeof value === 'number' ? Number(value.toPrecision(10)) : value,
    ]);
    return Object.fromEntries(entries) as T;
  });
}
