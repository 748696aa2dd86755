import type { Warehouse } from './port.ts';

/** The comparison of one set with whole segments. */
export function overlapBy(compare: Warehouse['compare']): Warehouse['overlap'] {
  return async (of, segmentIds, signal) => {
    signal.throwIfAborted();
    const counts = await compare(
      [of],
      segmentIds.map((segmentId) => ({ segmentId })),
      signal,
    );
    return counts.map(({ devices }) => devices[0]!);
  };
}
