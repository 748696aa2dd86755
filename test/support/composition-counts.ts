import type {
  CompositionBasis,
  CompositionCounts,
} from '../../src/records/audiences/compositions.ts';

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
