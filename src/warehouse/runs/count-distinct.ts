import type { DamagedRuns } from '../../records/warehouse/damaged-runs.ts';
import type { Manifest } from '../../records/warehouse/manifest.ts';
import type { Warehouse } from '../port.ts';
import { retryIfRemoved } from './file/run-opener.ts';
import type { Sets } from './sets/sets.ts';
import { withoutDamagedRuns } from './without-damaged-runs.ts';

export interface CountDistinctDependencies {
  readonly manifest: Pick<Manifest, 'runsOf' | 'readableRunsOf'>;
  readonly damagedRuns: Pick<DamagedRuns, 'setAside'>;
  readonly sets: Sets;
}

export function createCountDistinct(deps: CountDistinctDependencies): Warehouse['countDistinct'] {
  const { manifest, damagedRuns, sets } = deps;

  async function countNow(segmentIds: readonly number[], signal: AbortSignal): Promise<number> {
    await using held = new AsyncDisposableStack();
    const runs = await sets.open(() => manifest.readableRunsOf(segmentIds), held);
    return runs.length === 0 ? 0 : await sets.count(runs, signal);
  }

  return async (segmentIds, signal) => {
    const distinctIds = [...new Set(segmentIds)];
    if (distinctIds.length <= 1) {
      // Runs of one segment are disjoint, so their counts add up.
      const runs = await manifest.runsOf(distinctIds);
      return runs.reduce((sum, { devices }) => sum + devices, 0);
    }
    // Without damaged runs, so that their attributes can be deleted.
    return await withoutDamagedRuns(damagedRuns, () =>
      retryIfRemoved(() => countNow(distinctIds, signal)),
    );
  };
}
