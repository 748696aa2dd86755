/** How many attributes a row of an audience's history has. */
const topAttributes = 5;

interface CountedAttribute {
  readonly segmentId: number;
  /** All devices of the attribute. */
  readonly devices: number;
}

/** What a report was computed from. */
interface CountedAudience {
  readonly audience: { readonly devices: number };
  readonly universe: CountedAttribute;
  readonly attributes: readonly CountedAttribute[];
}

/** By segment: how many of its devices the audience has. */
type Overlaps = ReadonlyMap<number, { readonly devices: number }>;

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

/** Every figure of an audience's history comes from here, so that none passes what a report may show. */
export function historyFigures(
  { audience, universe, attributes }: CountedAudience,
  overlaps: Overlaps,
): HistoryFigures {
  return {
    uniqueDevices: audience.devices,
    matchedDevices: overlaps.get(universe.segmentId)?.devices ?? 0,
    universeDevices: universe.devices,
    top: largest(attributes, overlaps),
  };
}

/** In one pass, because there may be ten thousand. Of equal ones, the first stays first. */
function largest(attributes: readonly CountedAttribute[], overlaps: Overlaps): TopAttribute[] {
  const top: TopAttribute[] = [];
  for (const { segmentId, devices: baselineDevices } of attributes) {
    const audienceDevices = overlaps.get(segmentId)?.devices ?? 0;
    if (audienceDevices <= (top[topAttributes - 1]?.audienceDevices ?? 0)) continue;
    const at = top.findIndex((other) => other.audienceDevices < audienceDevices);
    top.splice(at < 0 ? top.length : at, 0, { segmentId, audienceDevices, baselineDevices });
    top.length = Math.min(top.length, topAttributes);
  }
  return top;
}
