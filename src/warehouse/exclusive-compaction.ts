import type { Records } from '../records/records.ts';
import type { Maintenance } from './port.ts';

const nothingDone = { mergedRuns: 0, rewrittenRuns: 0, conflicts: 0, damaged: [] };

/**
 * Compacts in one process at a time, so that no two write the same runs and one of them in vain. Both
 * engines use it. The others do nothing: they look again soon.
 */
export function createExclusiveCompaction(
  records: Pick<Records, 'unlessLocked'>,
  compact: Maintenance['compact'],
): Maintenance['compact'] {
  return async (options, signal) => {
    const compacted = await records.unlessLocked(
      'compaction',
      (held) => compact(options, held),
      signal,
    );
    return compacted ?? nothingDone;
  };
}
