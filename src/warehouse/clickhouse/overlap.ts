import type { Run, StagedRun } from '../../records/warehouse/manifest.ts';
import type { DeviceSet, Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { passesOver } from './rows/passes.ts';
import { runIdOf } from './rows/run-ids.ts';
import { devicesIn, within } from './rows/sql.ts';

export function createOverlap(engine: Engine): Warehouse['overlap'] {
  const { cluster, records } = engine;

  /** By run id, how many devices of `of` each run of `against` contains. */
  async function countShared(
    of: readonly StagedRun[],
    against: readonly StagedRun[],
    signal: AbortSignal,
  ): Promise<Map<string, number>> {
    const shared = new Map<string, number>();
    const isLarger = devicesIn(of) > devicesIn(against);
    const smaller = Math.min(devicesIn(of), devicesIn(against));
    for (const pass of await passesOver(smaller, engine)) {
      const others = `select device from run_device where ${within(against)} and ${pass}`;
      const set = `select device from run_device where ${within(of)} and ${pass} ${
        isLarger ? `and device in (${others})` : ''
      }`;
      const counts = await cluster.sums(
        `select run_id, count() from run_device
        where ${within(against)} and ${pass} and device in (${set}) group by run_id`,
        { signal, timeoutMs: longTimeoutMs },
      );
      for (const [id, count] of counts) shared.set(id, (shared.get(id) ?? 0) + count);
    }
    return shared;
  }

  return async (of, segmentIds, signal) => {
    signal.throwIfAborted();
    if (segmentIds.length === 0) return [];
    const requested = new Set(segmentIds);
    const ownIds = 'segmentId' in of ? [of.segmentId] : [];
    return await withCurrentRuns(
      engine,
      () => records.manifest.runsOf([...new Set([...ownIds, ...requested])]),
      async (runs) => {
        const { staged = [] }: DeviceSet = of;
        const set = [...runs.filter(({ segmentId }) => ownIds.includes(segmentId)), ...staged];
        const against = runs.filter(({ segmentId }) => requested.has(segmentId));
        const isEmpty = set.length === 0 || against.length === 0;
        const shared = isEmpty ? new Map() : await countShared(set, against, signal);
        await checkStagedRuns(engine, staged, signal);
        return sumsBySegment(segmentIds, against, shared);
      },
    );
  };
}

function sumsBySegment(
  segmentIds: readonly number[],
  runs: readonly Run[],
  shared: ReadonlyMap<string, number>,
): number[] {
  const sums = new Map<number, number>();
  for (const run of runs) {
    const count = shared.get(String(runIdOf(run))) ?? 0;
    sums.set(run.segmentId, (sums.get(run.segmentId) ?? 0) + count);
  }
  return segmentIds.map((segmentId) => sums.get(segmentId) ?? 0);
}
