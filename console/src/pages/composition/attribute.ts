import type { paths } from '../../../../src/client/openapi.ts';
import { hierarchyOf } from './hierarchy.ts';

type Answers =
  paths['/v2/firstparty/audience/{audience_id}/composition']['get']['responses'][200]['content'];

/** The report as the service returns it. */
export type Composition = Answers['application/json'];
export type EventLabel = Composition['events'][number];
export type WithheldReason = NonNullable<Composition['attributes'][number]['suppressed']>;

/**
 * How common an attribute is in the audience: over or under if the difference is significant, level
 * if not, withheld if there are no figures.
 */
export type Standing = 'over' | 'under' | 'level' | 'withheld';

/** An attribute with its figures, prepared for fast sorting and searching. */
export interface Attribute {
  readonly id: number;
  readonly name: string;
  /** The names above it, top level first. */
  readonly ancestors: readonly string[];
  readonly leaf: string;
  /** The top level; null if it has none. */
  readonly category: string | null;
  readonly searchText: string;
  readonly audienceDevices: number | null;
  readonly audienceShare: number | null;
  readonly shareLow: number | null;
  readonly shareHigh: number | null;
  readonly baselineDevices: number | null;
  readonly baselineShare: number | null;
  readonly index: number | null;
  readonly indexLow: number | null;
  readonly indexHigh: number | null;
  readonly z: number | null;
  /** The false discovery rate of z among all attributes of the report. */
  readonly q: number | null;
  readonly standing: Standing;
  readonly reason: WithheldReason | null;
}

/** An attribute that can be plotted. */
export interface DescribedAttribute extends Attribute {
  readonly audienceShare: number;
  readonly baselineShare: number;
  readonly index: number;
}

/** Of the attributes with a lower q, about 5% are expected to differ by chance alone. */
const significantQ = 0.05;

export function readAttributes(composition: Composition): Attribute[] {
  const places = hierarchyOf(composition.attributes.map(({ name }) => name));
  return composition.attributes.map((attribute, position) => ({
    ...places[position]!,
    id: attribute.attribute_id,
    name: attribute.name,
    searchText: attribute.name.toLowerCase(),
    audienceDevices: attribute.audience_devices,
    audienceShare: attribute.audience_share,
    shareLow: attribute.audience_share_low,
    shareHigh: attribute.audience_share_high,
    baselineDevices: attribute.baseline_devices,
    baselineShare: attribute.baseline_share,
    index: attribute.index,
    indexLow: attribute.index_low,
    indexHigh: attribute.index_high,
    z: attribute.z,
    q: attribute.q,
    standing: standingOf(attribute),
    reason: attribute.suppressed,
  }));
}

export function isDescribed(attribute: Attribute): attribute is DescribedAttribute {
  return attribute.standing !== 'withheld' && attribute.baselineShare !== null;
}

function standingOf({ index, z, q }: Composition['attributes'][number]): Standing {
  if (index === null) return 'withheld';
  if (z === null || q === null || q >= significantQ) return 'level';
  return z > 0 ? 'over' : 'under';
}
