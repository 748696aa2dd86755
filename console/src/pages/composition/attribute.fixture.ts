import type { Composition } from './attribute.ts';

type WireAttribute = Composition['attributes'][number];

/** An attribute with figures, as the service returns it. */
export function wireAttribute(figures: Partial<WireAttribute> = {}): WireAttribute {
  return {
    attribute_id: 1,
    name: 'Autos > Intenders',
    partner_id: 1,
    audience_devices: 200,
    audience_share: 0.2,
    audience_share_low: 0.1764,
    audience_share_high: 0.2259,
    baseline_devices: 1_000,
    baseline_share: 0.1,
    index: 200,
    index_low: 174.36,
    index_high: 229.41,
    z: 11.11,
    q: 1e-28,
    exact: true,
    suppressed: null,
    ...figures,
  };
}

export function withheldAttribute(
  reason: NonNullable<WireAttribute['suppressed']>,
  figures: Partial<WireAttribute> = {},
): WireAttribute {
  return wireAttribute({
    audience_devices: null,
    audience_share: null,
    audience_share_low: null,
    audience_share_high: null,
    index: null,
    index_low: null,
    index_high: null,
    z: null,
    q: null,
    suppressed: reason,
    ...figures,
  });
}

export function compositionOf(
  attributes: WireAttribute[],
  members: Partial<Composition> = {},
): Composition {
  return {
    audience_id: 1,
    default_warehouse_segment_id: 2,
    computed_at: '2026-01-31T12:00:00.000Z',
    universe_version: 3,
    stale: false,
    disclosure: { mode: 'exact', scale: null, sizes_exact: true, held_until: null },
    universe_devices: 10_000,
    unique_devices: 1_250,
    matched_devices: 1_000,
    baseline: { choice: 'universe', name: null, devices: 10_000, audience_devices: 1_000 },
    suppliers: [],
    attributes: attributes.map((attribute, position) => ({
      ...attribute,
      attribute_id: position + 1,
    })),
    events: [],
    ...members,
  };
}
