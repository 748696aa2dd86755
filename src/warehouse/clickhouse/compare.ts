import type { StagedRun } from '../../records/warehouse/manifest.ts';
import { type NeededRuns, neededRuns } from '../needed-runs.ts';
import type { DeviceSet, Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { passesOver } from './rows/passes.ts';
import { runIdOf } from './rows/run-ids.ts';
import { devicesIn, within } from './rows/sql.ts';

export function createCompare(engine: Engine): Warehouse['compare'] {
  const { cluster, records } = engine;

  /** By run id, how many devices of `of` each run of `against` contains. */
  async function countShared(
    of: readonly StagedRun[],
    against: readonly StagedRun[],
    signal: AbortSignal,
  ): Promise<Map<string, number>> {
    const shared = new Map<string, number>();
    if (of.length === 0 || against.length === 0) return shared;
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

  return async (sets, parts, signal) => {
    signal.throwIfAborted();
    const ids = [...sets.flatMap(segmentsOf), ...parts.map(({ segmentId }) => segmentId)];
    let needed: NeededRuns[] = [];
    return await withCurrentRuns(
      engine,
      async () => {
        const sources = await records.profiles.sourcesOf([...new Set(ids)]);
        needed = neededRuns(parts, sources);
        return sources.runs;
      },
      async (runs) => {
        const against = needed.flatMap((part) => part.runs);
        const shared: Map<string, number>[] = [];
        for (const set of sets) {
          const { staged = [] } = set;
          const own = runs.filter(({ segmentId }) => segmentsOf(set).includes(segmentId));
          shared.push(await countShared([...own, ...staged], against, signal));
          await checkStagedRuns(engine, staged, signal);
        }
        return needed.map(({ version, isGain, runs: counted }) => ({
          version,
          isGain,
          devices: shared.map((counts) =>
            counted.reduce((sum, run) => sum + (counts.get(String(runIdOf(run))) ?? 0), 0),
          ),
        }));
      },
    );
  };
}

function segmentsOf(set: DeviceSet): number[] {
  return 'segmentId' in set ? [set.segmentId] : [];
}
