import type { Run, StagedRun } from '../../records/warehouse/manifest.ts';
import { type ComparePlan, planOf, segmentsIn } from '../compare-plan.ts';
import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { passesOver } from './rows/passes.ts';
import { runIdOf } from './rows/run-ids.ts';
import { type DeviceTable, devicesIn, within } from './rows/sql.ts';

/** What the rows of a table are counted by: the run, or each number of a profile. */
const keys: Readonly<Record<DeviceTable, { readonly column: string; readonly key: string }>> = {
  run_device: { column: 'run_id', key: 'run_id' },
  profile_device: { column: 'numbers', key: 'arrayJoin(numbers)' },
};

/** Rows of one answer. If there are more, several queries read the runs of some sets each. */
const countsPerAnswer = 500_000;

/** Runs, or numbers of a profile, and the parts to which they belong. */
interface Against {
  readonly table: DeviceTable;
  readonly runs: readonly Run[];
  /** By key of the table. */
  readonly parts: ReadonlyMap<string, readonly number[]>;
}

export function createCompare(engine: Engine): Warehouse['compare'] {
  const { cluster, records } = engine;

  /** Passes on how many devices each of the runs and each key of the table share. */
  async function countShared(
    of: readonly StagedRun[],
    { table, runs }: Against,
    add: (run: string, key: string, devices: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { column, key } = keys[table];
    const smaller = Math.min(devicesIn(of), devicesIn(runs));
    const isOfSmaller = devicesIn(of) === smaller;
    for (const pass of await passesOver(smaller, engine)) {
      const inRuns = `from ${table} where ${within(runs)} and ${pass}`;
      const inOf = `from run_device where ${within(of)} and ${pass}`;
      const sides = [`select device, run_id as run ${inOf}`, `select device, ${column} ${inRuns}`];
      // The server keeps the second side in memory.
      if (isOfSmaller) sides.reverse();
      // For one run, a join took 1.2 to 1.5 times as long.
      const sql =
        of.length === 1 && isOfSmaller
          ? `select toUInt64(${runIdOf(of[0]!)}) as run, ${key} as key, count() ${inRuns}
            and device in (select device ${inOf}) group by key`
          : `select run, ${key} as key, count()
            from (${sides[0]}) all inner join (${sides[1]}) using device group by run, key`;
      const options = { signal, timeoutMs: longTimeoutMs };
      for (const rows of await cluster.onEach((shard) => shard.select(sql, options))) {
        for (const [run, key, devices] of rows) add(run!, key!, Number(devices));
      }
    }
  }

  /** How many devices of each set each part contains, by part and set. */
  async function countAll(plan: ComparePlan, signal: AbortSignal): Promise<number[][]> {
    const devices = plan.needed.map(() => plan.setRuns.map(() => 0));
    const ofSets = new Map<string, { run: StagedRun; sets: number[] }>();
    for (const [set, runs] of plan.setRuns.entries()) {
      for (const run of runs) {
        const id = String(runIdOf(run));
        const known = ofSets.get(id) ?? { run, sets: [] };
        known.sets.push(set);
        ofSets.set(id, known);
      }
    }
    const runs = [...ofSets.values()].map(({ run }) => run);
    for (const against of comparedWith(plan)) {
      const perQuery = Math.max(1, Math.floor(countsPerAnswer / against.parts.size));
      for (let begin = 0; begin < runs.length; begin += perQuery) {
        const some = runs.slice(begin, begin + perQuery);
        const add = (run: string, key: string, count: number) => {
          for (const part of against.parts.get(key) ?? []) {
            for (const set of ofSets.get(run)!.sets) devices[part]![set]! += count;
          }
        };
        await countShared(some, against, add, signal);
      }
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
        const devices = await countAll(plan!, signal);
        const staged = sets.flatMap(({ staged = [] }) => staged);
        await checkStagedRuns(engine, staged, signal);
        return plan!.needed.map(({ version, isGain }, part) => ({
          version,
          isGain,
          devices: devices[part]!,
        }));
      },
    );
  };
}

/** The profiles and the other runs that the sets are compared with. */
function comparedWith({ byProfile, direct }: ComparePlan): Against[] {
  const profiles = byProfile.map(({ profile, numbers }) => ({
    table: 'profile_device' as const,
    runs: [profile.run],
    parts: partsByKey(numbers.map(({ number, part }) => [String(number), part])),
  }));
  const others = [...direct].flatMap(([part, runs]) => runs.map((run) => ({ run, part })));
  if (others.length === 0) return profiles;
  const runs = [...new Map(others.map(({ run }) => [runIdOf(run), run])).values()];
  const parts = partsByKey(others.map(({ run, part }) => [String(runIdOf(run)), part]));
  return [...profiles, { table: 'run_device', runs, parts }];
}

function partsByKey(pairs: readonly (readonly [string, number])[]): Map<string, number[]> {
  const parts = new Map<string, number[]>();
  for (const [key, part] of pairs) parts.set(key, [...(parts.get(key) ?? []), part]);
  return parts;
}
