import { type Disclosures, matchedCount, shownSize } from '../domain/disclosure/disclosure.ts';
import { statusOf } from '../domain/job.ts';
import type { Audience } from '../records/audiences/audiences.ts';

export function audienceOnTheWire(audience: Audience, disclosures: Disclosures) {
  return {
    audience_id: audience.audienceId,
    name: audience.name,
    unique_devices: audience.uniqueDevices,
    default_warehouse_segment_id: audience.segmentId,
    status: statusOf[audience.state],
    created_at: audience.createdAt.toISOString(),
    updated_at: audience.updatedAt.toISOString(),
    uploaded_devices: audience.uploadedDevices,
    matched_devices: matchedOnTheWire(audience, disclosures),
  };
}

function matchedOnTheWire(
  { disclosure: mode, matchedDevices, released }: Audience,
  disclosures: Disclosures,
): number {
  const disclosure = disclosures.of(mode);
  if (disclosure.mode === 'exact') return matchedDevices;
  return released ? shownSize(matchedCount(disclosure, released), disclosures.rules.threshold) : 0;
}
