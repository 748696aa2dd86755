import {
  attributeCounts,
  type Disclosure,
  matchedCount,
  type Released,
  shownSize,
  universeCount,
} from '../disclosure/disclosure.ts';

/** How many attributes a row of an audience's history has. */
const topAttributes = 5;
/** They are chosen by the noised counts of this many, because to draw noise for ten thousand would take long. */
const candidates = 20;

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
  const top = largest(attributes, overlaps).map((attribute) => {
    const { segmentId, devices: baselineDevices } = attribute;
    const { version, devices: audienceDevices } = overlaps.get(segmentId)!;
    const isOwn = attribute.partnerId === partnerId;
    const counted = { segmentId, version, audienceDevices, baselineDevices, isOwn };
    const shown = attributeCounts(disclosure, released.fingerprint, counted);
    return {
      segmentId,
      audienceDevices: shown.audience.devices,
      baselineDevices: shown.baseline.devices,
    };
  });
  return {
    uniqueDevices: audience.devices,
    matchedDevices: shownSize(matchedCount(disclosure, released), threshold),
    universeDevices: shownSize(universeCount(disclosure, released), threshold),
    top: top.sort((a, b) => b.audienceDevices - a.audienceDevices).slice(0, topAttributes),
  };
}

/** In one pass, because there may be ten thousand. Of equal ones, the first stays first. */
function largest(attributes: readonly CountedAttribute[], overlaps: Overlaps): CountedAttribute[] {
  const top: { attribute: CountedAttribute; devices: number }[] = [];
  for (const attribute of attributes) {
    const devices = overlaps.get(attribute.segmentId)?.devices ?? 0;
    if (devices <= (top[candidates - 1]?.devices ?? 0)) continue;
    const at = top.findIndex((other) => other.devices < devices);
    top.splice(at < 0 ? top.length : at, 0, { attribute, devices });
    top.length = Math.min(top.length, candidates);
  }
  return top.map(({ attribute }) => attribute);
}
