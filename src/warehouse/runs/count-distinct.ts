import type { Manifest } from '../../records/warehouse/manifest.ts';
import type { Warehouse } from '../port.ts';
import { retryIfRemoved } from './file/run-opener.ts';
import type { Sets } from './sets/sets.ts';

export interface CountDistinctDependencies {
  readonly manifest: Pick<Manifest, 'runsOf'>;
  readonly sets: Sets;
}

export function createCountDistinct(deps: CountDistinctDependencies): Warehouse['countDistinct'] {
  const { manifest, sets } = deps;
  return async (segmentIds, signal) => {
    const distinctIds = [...new Set(segmentIds)];
    if (distinctIds.length <= 1) {
      // Runs of one segment are disjoint, so their counts add up.
      const runs = await manifest.runsOf(distinctIds);
      return runs.reduce((sum, { devices }) => sum + devices, 0);
    }
    return await retryIfRemoved(async () => {
      await using held = new AsyncDisposableStack();
      const runs = await sets.open(() => manifest.runsOf(distinctIds), held);
      return runs.length === 0 ? 0 : await sets.count(runs, signal);
    });
  };
}
