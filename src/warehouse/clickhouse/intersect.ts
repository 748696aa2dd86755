import type { DeviceSet, Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { answersFor } from './rows/device-answers.ts';
import { packDevices } from './rows/device-text.ts';
import { within } from './rows/sql.ts';

export function createIntersect(
  engine: Engine,
  overlap: Warehouse['overlap'],
): Warehouse['intersect'] {
  const { cluster, records } = engine;
  return async function* (of, segmentIds, signal) {
    // Few of many segments contain any of few devices.
    const counts = await overlap(of, segmentIds, signal);
    for (const [i, segmentId] of segmentIds.entries()) {
      for (const isOfAnswer of answersFor(counts[i]!)) {
        for (const [runId, devices] of await readShared(of, segmentId, isOfAnswer, signal)) {
          yield { segmentId, runId, devices: packDevices(devices.sort()) };
        }
      }
    }
  };

  /** By run. */
  async function readShared(
    of: DeviceSet,
    segmentId: number,
    isOfAnswer: string,
    signal: AbortSignal,
  ): Promise<Map<number, string[]>> {
    const own = 'segmentId' in of ? [of.segmentId] : [];
    const { staged = [] } = of;
    return await withCurrentRuns(
      engine,
      () => records.manifest.runsOf([...new Set([...own, segmentId])]),
      async (runs) => {
        const set = [...runs.filter((run) => own.includes(run.segmentId)), ...staged];
        const against = runs.filter((run) => run.segmentId === segmentId);
        const shared = new Map<number, string[]>();
        if (set.length === 0) return shared;
        for (const run of against) {
          const sql = `select lower(hex(device)) from run_device
            where ${within([run])} and ${isOfAnswer} and device in (
              select device from run_device where ${within(set)} and ${isOfAnswer}
            )`;
          const found = await cluster.onEach((shard) =>
            shard.select(sql, { signal, timeoutMs: longTimeoutMs }),
          );
          const devices = found.flat(2);
          if (devices.length > 0) shared.set(run.runId, devices);
        }
        await checkStagedRuns(engine, staged, signal);
        return shared;
      },
    );
  }
}
