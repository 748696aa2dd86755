import { saveCompositions } from '../../src/actions/save-compositions.ts';
import { createDisclosures, type DisclosureRules } from '../../src/domain/disclosure/disclosure.ts';
import type {
  CompositionBasis,
  CompositionCounts,
} from '../../src/records/audiences/compositions.ts';
import type { Records } from '../../src/records/records.ts';

/** Exact counts, and the default threshold. */
export const exactRules: DisclosureRules = {
  mode: 'exact',
  scale: 10,
  contentsPerDay: 200,
  threshold: 50,
};

export const exactDisclosures = createDisclosures(exactRules, () => new Uint8Array(16));

/** Counts as a worker would save them. `audienceDevices` are in the order of the attributes. */
export function compositionCounts(
  { attributes, universe }: CompositionBasis,
  matchedDevices: number,
  audienceDevices: readonly number[],
): CompositionCounts {
  const segments = [...attributes, { ...universe, version: universe.segmentVersion }];
  const devices = [...audienceDevices, matchedDevices];
  return new Map(
    segments.map(({ segmentId, version }, i) => [segmentId, { version, devices: devices[i]! }]),
  );
}

/** Saves counts as a worker would. Returns whether they were saved. */
export async function saveCounts(
  records: Records,
  basis: CompositionBasis,
  counts: CompositionCounts,
  { evenIfStale }: { readonly evenIfStale: boolean },
): Promise<boolean> {
  const composition = { basis, counts, fingerprint: `version ${basis.audience.version}` };
  const [saved] = await saveCompositions(records, [composition], {
    evenIfStale,
    disclosures: exactDisclosures,
  });
  return saved === 'saved';
}
