import type { Run, StagedRun } from '../../records/warehouse/manifest.ts';
import { type ComparePlan, planOf, segmentsIn } from '../compare-plan.ts';
import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { passesOver } from './rows/passes.ts';
import { runIdOf } from './rows/run-ids.ts';
import { type DeviceTable, devicesIn, within } from './rows/sql.ts';

/** Expressions by which the rows of a table are counted: for each run, or for each number of a profile. */
const keys: Readonly<Record<DeviceTable, string>> = {
  run_device: 'run_id',
  profile_device: 'arrayJoin(numbers)',
};

export function createCompare(engine: Engine): Warehouse['compare'] {
  const { cluster, records } = engine;

  /** By key of the table, how many devices of `of` the runs of `against` contain. */
  async function countShared(
    of: readonly StagedRun[],
    against: readonly Run[],
    table: DeviceTable,
    signal: AbortSignal,
  ): Promise<Map<string, number>> {
    const shared = new Map<string, number>();
    if (of.length === 0 || against.length === 0) return shared;
    const isLarger = devicesIn(of) > devicesIn(against);
    const smaller = Math.min(devicesIn(of), devicesIn(against));
    for (const pass of await passesOver(smaller, engine)) {
      const others = `select device from ${table} where ${within(against)} and ${pass}`;
      const set = `select device from run_device where ${within(of)} and ${pass} ${
        isLarger ? `and device in (${others})` : ''
      }`;
      const counts = await cluster.sums(
        `select ${keys[table]} as key, count() from ${table}
        where ${within(against)} and ${pass} and device in (${set}) group by key`,
        { signal, timeoutMs: longTimeoutMs },
      );
      for (const [key, count] of counts) shared.set(key, (shared.get(key) ?? 0) + count);
    }
    return shared;
  }

  /** How many devices of the set each part contains. */
  async function countParts(
    of: readonly StagedRun[],
    { needed, direct, byProfile }: ComparePlan,
    signal: AbortSignal,
  ): Promise<number[]> {
    const devices = needed.map(() => 0);
    for (const { profile, numbers } of byProfile) {
      const counts = await countShared(of, [profile.run], 'profile_device', signal);
      for (const { number, part } of numbers) devices[part]! += counts.get(String(number)) ?? 0;
    }
    const counts = await countShared(of, [...direct.values()].flat(), 'run_device', signal);
    for (const [part, runs] of direct) {
      for (const run of runs) devices[part]! += counts.get(String(runIdOf(run))) ?? 0;
    }
    return devices;
  }

  return async (sets, parts, signal) => {
    signal.throwIfAborted();
    let plan: ComparePlan | undefined;
    return await withCurrentRuns(
      engine,
      async () => {
        const sources = await records.profiles.sourcesOf(segmentsIn(sets, parts));
        plan = planOf(sets, parts, sources);
        return [...sources.runs, ...plan.byProfile.map(({ profile }) => profile.run)];
      },
      async () => {
        const shared: number[][] = [];
        for (const [i, { staged = [] }] of sets.entries()) {
          shared.push(await countParts(plan!.setRuns[i]!, plan!, signal));
          await checkStagedRuns(engine, staged, signal);
        }
        return plan!.needed.map(({ version, isGain }, part) => ({
          version,
          isGain,
          devices: shared.map((devices) => devices[part]!),
        }));
      },
    );
  };
}
