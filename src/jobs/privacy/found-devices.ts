import { createHash } from 'node:crypto';
import type { FoundCounts, StoredIdentifier } from '../../records/privacy/privacy-requests.ts';
import type { HeldDevice } from './look-up-devices.ts';

/** A request, and the identifiers that it names. */
export interface NamedDevices {
  readonly requestId: number;
  readonly identifiers: readonly StoredIdentifier[];
}

/** An identifier of a request. */
interface NamedPlace {
  readonly requestId: number;
  readonly position: number;
}

/** Finds out which requests name a device, by itself or by its digest. */
export function indexNames(requests: readonly NamedDevices[]): (device: string) => NamedPlace[] {
  const byDevice = new Map<string, NamedPlace[]>();
  const byDigest = new Map<string, NamedPlace[]>();
  for (const { requestId, identifiers } of requests) {
    for (const { device, digest, position } of identifiers) {
      const place = { requestId, position };
      if (device === null) addTo(byDigest, digest.toString('hex'), place);
      else addTo(byDevice, device, place);
    }
  }
  return (device) => {
    const named = byDevice.get(device) ?? [];
    if (byDigest.size === 0) return named;
    const digest = createHash('sha256').update(device).digest('hex');
    return [...named, ...(byDigest.get(digest) ?? [])];
  };
}

function addTo(index: Map<string, NamedPlace[]>, key: string, place: NamedPlace): void {
  const places = index.get(key);
  if (places) places.push(place);
  else index.set(key, [place]);
}

/** Counts what is found of one request. */
export interface FoundTally {
  readonly positions: ReadonlySet<number>;
  add(position: number, segment: HeldDevice['segment']): void;
  counts(): Omit<FoundCounts, 'found' | 'isComplete'>;
}

export function createFoundTally(): FoundTally {
  const positions = new Set<number>();
  const attributes = new Set<number>();
  const audiences = new Set<number>();
  const partners = new Set<number>();
  let memberships = 0;
  return {
    positions,
    add(position, { attributeId, audienceId, partnerId }) {
      positions.add(position);
      if (attributeId !== null) attributes.add(attributeId);
      if (audienceId !== null) audiences.add(audienceId);
      partners.add(partnerId);
      memberships += 1;
    },
    counts: () => ({
      attributes: attributes.size,
      audiences: audiences.size,
      partners: partners.size,
      memberships,
    }),
  };
}
