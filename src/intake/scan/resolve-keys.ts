import type { KeyFault } from '../report/faults.ts';

export type SegmentOf = (key: string) => number | undefined;

/**
 * The segments named by the keys of a cell, each once, or the fault that rejects the row. Keys are
 * separated by `|` and compared exactly. An empty entry between two `|` is ignored.
 */
export function resolveKeys(cell: string, segmentOf: SegmentOf): number[] | KeyFault {
  const segmentIds: number[] = [];
  for (const key of cell.split('|')) {
    if (key === '') continue;
    const segmentId = segmentOf(key);
    if (segmentId === undefined) return { code: 'unknown_key', key };
    segmentIds.push(segmentId);
  }
  if (segmentIds.length === 0) return { code: 'no_keys' };
  return segmentIds.length === 1 ? segmentIds : [...new Set(segmentIds)];
}
