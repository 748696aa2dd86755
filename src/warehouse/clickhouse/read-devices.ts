import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { answersFor } from './rows/device-answers.ts';
import { packDevices } from './rows/device-text.ts';
import { devicesIn, within } from './rows/sql.ts';

export function createRead(engine: Engine): Warehouse['read'] {
  const { cluster, records } = engine;
  return async function* (of, signal) {
    const { staged = [] } = of;
    const segmentIds = 'segmentId' in of ? [of.segmentId] : [];
    const readRuns = () => records.manifest.runsOf(segmentIds);
    for (const isOfAnswer of answersFor(devicesIn([...(await readRuns()), ...staged]))) {
      const devices = await withCurrentRuns(engine, readRuns, async (runs) => {
        const all = [...runs, ...staged];
        if (all.length === 0) return [];
        const sql = `select lower(hex(device)) from run_device where ${within(all)} and ${isOfAnswer}`;
        const found = await cluster.onEach((shard) =>
          shard.select(sql, { signal, timeoutMs: longTimeoutMs }),
        );
        await checkStagedRuns(engine, staged, signal);
        return found.flat(2).sort();
      });
      if (devices.length > 0) yield packDevices(devices);
    }
  };
}
