import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { withCurrentRuns } from './rows/current-runs.ts';
import { passesOver } from './rows/passes.ts';
import { devicesIn, within } from './rows/sql.ts';

export function createCountDistinct(engine: Engine): Warehouse['countDistinct'] {
  const { cluster, records } = engine;
  return async (segmentIds, signal) => {
    signal.throwIfAborted();
    const distinctIds = [...new Set(segmentIds)];
    return await withCurrentRuns(
      engine,
      () => records.manifest.runsOf(distinctIds),
      async (runs) => {
        // The runs of one segment are disjoint.
        if (distinctIds.length <= 1 || runs.length === 0) return devicesIn(runs);
        let devices = 0;
        for (const pass of await passesOver(devicesIn(runs), engine)) {
          const counts = await cluster.sums(
            `select 'devices', count() from (
              select device from run_device where ${within(runs)} and ${pass} group by device
            )`,
            { signal, timeoutMs: longTimeoutMs },
          );
          devices += counts.get('devices') ?? 0;
        }
        return devices;
      },
    );
  };
}
