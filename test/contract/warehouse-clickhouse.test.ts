import { afterAll, beforeAll, describe } from 'vitest';
import { formatDeviceId } from '../../src/domain/device-id.ts';
import type { Run } from '../../src/records/manifest.ts';
import { type ClickhouseCluster, startClickhouseCluster } from '../support/clickhouse-cluster.ts';
import { type ClickhouseWorld, openClickhouseWorld } from '../support/clickhouse-world.ts';
import { machineHas } from '../support/requirements.ts';
import { describeWarehouse } from './warehouse.ts';
import { signal } from './warehouse-bench.ts';

/** The devices of runs on all shards, by the ids that the schema says they have. */
async function readRuns({ shards }: ClickhouseWorld, runs: readonly Run[]): Promise<string[][]> {
  const sql = 'select run_id, groupArray(hex(device)) from run_device group by run_id';
  const rows = (await Promise.all(shards.map((shard) => shard.select(sql)))).flat();
  const byRun = Map.groupBy(rows, ([id]) => id);
  return runs.map(({ file, firstRowGroup }) => {
    const id = BigInt(file.replace('clickhouse-', '')) * 1_048_576n + BigInt(firstRowGroup);
    const parts = byRun.get(String(id)) ?? [];
    const devices = parts.flatMap(([, list = '']) => list.match(/[0-9A-F]{32}/g) ?? []);
    return devices.map((device) => formatDeviceId(Buffer.from(device, 'hex'))).sort();
  });
}

describe.skipIf(!machineHas('clickhouse-server'))('on two shards', () => {
  let cluster: ClickhouseCluster;

  beforeAll(async () => {
    cluster = await startClickhouseCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  describeWarehouse('clickhouse', async () => {
    const world = await openClickhouseWorld(cluster);
    const { warehouse } = world;
    // The tables are looked into from outside, also before the warehouse itself has needed them.
    await warehouse.checkReady();
    return {
      ...world,
      maintenance: {
        compact: () => warehouse.compact({ rewriteAfterSeconds: 0, crowdedAbove: 2 }, signal),
        sweep: () => warehouse.sweep(0),
      },
      readRuns: (runs) => readRuns(world, runs),
    };
  });
});
