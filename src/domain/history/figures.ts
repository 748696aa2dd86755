import {
  attributeCounts,
  type Disclosure,
  inAudienceCount,
  matchedCount,
  type Released,
  shownSize,
  universeCount,
} from '../disclosure/disclosure.ts';

/** How many attributes a row of an audience's history has. */
const topAttributes = 5;

interface CountedAttribute {
  readonly segmentId: number;
  readonly version: number;
  /** All devices of the attribute. */
  readonly devices: number;
  readonly partnerId: number | null;
}

/** What a report was computed from. */
interface CountedAudience {
  readonly partnerId: number;
  readonly audience: { readonly devices: number };
  readonly attributes: readonly CountedAttribute[];
}

/** By segment: how many of its devices the audience has, at that version. */
type Overlaps = ReadonlyMap<number, { readonly version: number; readonly devices: number }>;

interface TopAttribute {
  readonly segmentId: number;
  readonly audienceDevices: number;
  readonly baselineDevices: number;
}

export interface HistoryFigures {
  readonly uniqueDevices: number;
  readonly matchedDevices: number;
  readonly universeDevices: number;
  /** Those with the most devices of the audience, the largest first. */
  readonly top: readonly TopAttribute[];
}

/** The figures of an audience's history are those of its report, with the same noise and threshold. */
export function historyFigures(
  { partnerId, audience, attributes }: CountedAudience,
  overlaps: Overlaps,
  released: Released & { readonly universeDevices: number },
  disclosure: Disclosure,
  threshold: number,
): HistoryFigures {
  const shown = (attribute: CountedAttribute) => {
    const { segmentId, devices: baselineDevices } = attribute;
    const { version, devices: audienceDevices } = overlaps.get(segmentId) ?? none;
    const isOwn = attribute.partnerId === partnerId;
    return { segmentId, version, audienceDevices, baselineDevices, isOwn };
  };
  // By their noised counts: the choice itself must not tell exact ones.
  const top = largest(
    attributes,
    (attribute) => inAudienceCount(disclosure, released, shown(attribute)).devices,
  );
  return {
    uniqueDevices: audience.devices,
    matchedDevices: shownSize(matchedCount(disclosure, released), threshold),
    universeDevices: shownSize(universeCount(disclosure, released), threshold),
    top: top.map((attribute) => {
      const counts = attributeCounts(disclosure, released, shown(attribute));
      return {
        segmentId: attribute.segmentId,
        audienceDevices: counts.audience.devices,
        baselineDevices: counts.baseline.devices,
      };
    }),
  };
}

const none = { version: 0, devices: 0 };

/** In one pass, because there may be ten thousand. Of equal ones, the first stays first. */
function largest(
  attributes: readonly CountedAttribute[],
  devicesOf: (attribute: CountedAttribute) => number,
): CountedAttribute[] {
  const top: { attribute: CountedAttribute; devices: number }[] = [];
  for (const attribute of attributes) {
    const devices = devicesOf(attribute);
    if (devices <= (top[topAttributes - 1]?.devices ?? 0)) continue;
    const at = top.findIndex((other) => other.devices < devices);
    top.splice(at < 0 ? top.length : at, 0, { attribute, devices });
    top.length = Math.min(top.length, topAttributes);
  }
  return top.map(({ attribute }) => attribute);
}
