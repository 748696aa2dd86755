import type { Run, StagedRun } from '../../records/warehouse/manifest.ts';
import type { DeviceSet, Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { passesOver } from './rows/passes.ts';
import { runIdOf } from './rows/run-ids.ts';
import { devicesIn, within } from './rows/sql.ts';
import { checkStaged, whileThere } from './rows/still-there.ts';

export function createOverlap(engine: Engine): Warehouse['overlap'] {
  const { cluster, records } = engine;

  /** How many devices of a set each run holds, by its id. */
  async function holdings(
    of: readonly StagedRun[],
    against: readonly StagedRun[],
    signal: AbortSignal,
  ): Promise<Map<string, number>> {
    const held = new Map<string, number>();
    const isLarger = devicesIn(of) > devicesIn(against);
    const looked = Math.min(devicesIn(of), devicesIn(against));
    for (const pass of await passesOver(looked, engine)) {
      const others = `select device from run_device where ${within(against)} and ${pass}`;
      const set = `select device from run_device where ${within(of)} and ${pass} ${
        isLarger ? `and device in (${others})` : ''
      }`;
      const counts = await cluster.sums(
        `select run_id, count() from run_device
        where ${within(against)} and ${pass} and device in (${set}) group by run_id`,
        { signal, timeoutMs: longTimeoutMs },
      );
      for (const [id, count] of counts) held.set(id, (held.get(id) ?? 0) + count);
    }
    return held;
  }

  return async (of, segmentIds, signal) => {
    signal.throwIfAborted();
    if (segmentIds.length === 0) return [];
    const asked = new Set(segmentIds);
    const ownIds = 'segmentId' in of ? [of.segmentId] : [];
    return await whileThere(
      engine,
      () => records.manifest.runsOf([...new Set([...ownIds, ...asked])]),
      async (runs) => {
        const { staged = [] }: DeviceSet = of;
        const set = [...runs.filter(({ segmentId }) => ownIds.includes(segmentId)), ...staged];
        const against = runs.filter(({ segmentId }) => asked.has(segmentId));
        const isEmpty = set.length === 0 || against.length === 0;
        const held = isEmpty ? new Map() : await holdings(set, against, signal);
        await checkStaged(engine, staged, signal);
        return sumsBySegment(segmentIds, against, held);
      },
    );
  };
}

function sumsBySegment(
  segmentIds: readonly number[],
  runs: readonly Run[],
  held: ReadonlyMap<string, number>,
): number[] {
  const sums = new Map<number, number>();
  for (const run of runs) {
    const count = held.get(String(runIdOf(run))) ?? 0;
    sums.set(run.segmentId, (sums.get(run.segmentId) ?? 0) + count);
  }
  return segmentIds.map((segmentId) => sums.get(segmentId) ?? 0);
}
