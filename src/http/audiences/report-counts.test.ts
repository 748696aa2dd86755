import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDisclosures } from '../../domain/disclosure/disclosure.ts';
import type { Composition } from '../../records/audiences/compositions.ts';
import { reportCounts } from './report-counts.ts';

const { of } = createDisclosures(
  { mode: 'protected', scale: 10, contentsPerDay: 200, threshold: 50 },
  (text) => createHash('sha256').update(text).digest(),
);

function known(partnerId: number, fingerprint: string, attributesDigest = 'v1') {
  const released = { fingerprint, universeVersion: 1, matchedDevices: 900, isOwn: false };
  const counts = reportCounts(
    { partnerId: 1, released: { ...released, universeDevices: 9_000 } } as Composition,
    of('protected'),
  );
  const devices = { supplierDevices: 5_000, audienceDevices: 500, attributesDigest };
  return counts!.known(partnerId, devices);
}

test('the devices known to another supplier have noise that depends on the contents alone', () => {
  const counts = known(2, 'a');
  expect(known(2, 'a')).toEqual(counts);
  for (const { noiseVariance } of Object.values(counts)) expect(noiseVariance).toBeGreaterThan(0);
  // The supplier's devices do not depend on the audience.
  expect(known(2, 'b').baseline).toEqual(counts.baseline);
  expect(known(2, 'b').matched).not.toEqual(counts.matched);
  expect(known(2, 'a', 'v2').baseline).not.toEqual(counts.baseline);
});

test('the devices known to the partner itself are exact', () => {
  expect(known(1, 'a')).toEqual({
    matched: { devices: 500, noiseVariance: 0 },
    baseline: { devices: 5_000, noiseVariance: 0 },
  });
});
