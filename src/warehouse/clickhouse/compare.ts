import type { Run, StagedRun } from '../../records/warehouse/manifest.ts';
import { type ComparePlan, planOf, segmentsIn } from '../compare-plan.ts';
import { groupBySize } from '../group-by-size.ts';
import type { Warehouse } from '../port.ts';
import type { Engine } from './cluster/engine.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { checkStagedRuns, withCurrentRuns } from './rows/current-runs.ts';
import { passesOver } from './rows/passes.ts';
import { runIdOf } from './rows/run-ids.ts';
import { type DeviceTable, devicesIn, within } from './rows/sql.ts';

/** Counts of one query, from all shards together. If there are more, each query reads some of the runs. */
const defaultCountsPerQuery = 500_000;

/** Runs, or numbers of a profile, and the parts to which they belong. */
interface Against {
  readonly table: DeviceTable;
  readonly runs: readonly Run[];
  readonly joinedSize: number;
  /** By key of the table. */
  readonly parts: ReadonlyMap<string, readonly number[]>;
}

export function createCompare(
  engine: Engine,
  countsPerQuery = defaultCountsPerQuery,
): Warehouse['compare'] {
  const { cluster, records, devicesPerShard } = engine;

  /** Groups the runs so that the counts of a query are few enough and a side of its join fits into memory. */
  async function queriesOver(
    runs: readonly StagedRun[],
    against: Against,
  ): Promise<Iterable<readonly StagedRun[]>> {
    const { length: shards } = await cluster.shards();
    const memory = devicesPerShard * shards;
    const ofCounts = (against.parts.size * shards) / countsPerQuery;
    const fits = against.joinedSize <= memory;
    const shareOf = (run: StagedRun) =>
      fits ? ofCounts : Math.max(ofCounts, joinedSize([run]) / memory);
    return groupBySize(runs, shareOf, 1);
  }

  /** Passes on how many devices each of the runs and each key of the table share. */
  async function countShared(
    of: readonly StagedRun[],
    against: Against,
    add: (run: string, key: string, devices: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { table, runs } = against;
    const column = countedColumn(against);
    const keyOf = (counted: string) =>
      table === 'profile_device' ? `arrayJoin(${counted})` : counted;
    const ofSize = joinedSize(of);
    const isOfSmaller = ofSize <= against.joinedSize;
    // For one run, a join took 1.2 to 1.5 times as long as a set.
    const isSet = of.length === 1 && isOfSmaller;
    const kept = isSet ? devicesIn(of) : Math.min(ofSize, against.joinedSize);
    for (const pass of await passesOver(kept, engine)) {
      const inRuns = `from ${table} where ${within(runs)} and ${pass}`;
      const inOf = `from run_device where ${within(of)} and ${pass}`;
      const sides = [
        `select device, run_id as run ${inOf}`,
        `select device, ${column} as counted ${inRuns}`,
      ];
      // The server keeps the second side in memory.
      if (isOfSmaller) sides.reverse();
      const sql = isSet
        ? `select toUInt64(${runIdOf(of[0]!)}) as run, ${keyOf(column)} as key, count() ${inRuns}
            and device in (select device ${inOf}) group by key`
        : `select run, ${keyOf('counted')} as key, count()
            from (${sides[0]}) as streamed all inner join (${sides[1]}) as kept using device
            group by run, key`;
      await cluster.onEach(async (shard) => {
        const rows = await shard.select(sql, { signal, timeoutMs: longTimeoutMs });
        for (const [run, key, devices] of rows) add(run!, key!, Number(devices));
      });
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
      const add = (run: string, key: string, count: number) => {
        for (const part of against.parts.get(key)!) {
          for (const set of ofSets.get(run)!.sets) devices[part]![set]! += count;
        }
      };
      for (const some of await queriesOver(runs, against)) {
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

/**
 * The memory that a server needs to keep the runs for a join, in devices of a set, which take about 100 bytes each. In
 * ClickHouse 18.16, 4 million devices took 0.41 GiB in a set and 0.69 GiB with their runs in a join. `bytes` includes
 * the lists of a profile.
 */
function joinedSize(runs: readonly StagedRun[]): number {
  return runs.reduce((sum, { devices, bytes }) => sum + 2 * devices + bytes / 100, 0);
}

/** What a row of the table is counted by: its run, or each of these numbers of its device. */
function countedColumn({ table, parts }: Against): string {
  if (table === 'run_device') return 'run_id';
  return `arrayFilter(number -> number in (${[...parts.keys()].join(', ')}), numbers)`;
}

/** The profiles and the other runs that the sets are compared with. */
function comparedWith({ byProfile, direct }: ComparePlan): Against[] {
  const profiles = byProfile.map(({ profile, numbers }) => ({
    table: 'profile_device' as const,
    runs: [profile.run],
    joinedSize: joinedSize([profile.run]),
    parts: partsByKey(numbers.map(({ number, part }) => [String(number), part])),
  }));
  const others = [...direct].flatMap(([part, runs]) => runs.map((run) => ({ run, part })));
  if (others.length === 0) return profiles;
  const runs = [...new Map(others.map(({ run }) => [runIdOf(run), run])).values()];
  const parts = partsByKey(others.map(({ run, part }) => [String(runIdOf(run)), part]));
  return [...profiles, { table: 'run_device', runs, joinedSize: joinedSize(runs), parts }];
}

function partsByKey(pairs: readonly (readonly [string, number])[]): Map<string, number[]> {
  const parts = new Map<string, number[]>();
  for (const [key, part] of pairs) parts.set(key, [...(parts.get(key) ?? []), part]);
  return parts;
}
