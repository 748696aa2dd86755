import { afterAll, beforeAll, describe } from 'vitest';
import { type ClickhouseCluster, startClickhouseCluster } from '../support/clickhouse-cluster.ts';
import { readClickhouseRuns } from '../support/clickhouse-runs.ts';
import { openClickhouseWorld } from '../support/clickhouse-world.ts';
import { machineHas } from '../support/requirements.ts';
import { describeWarehouse } from './warehouse.ts';
import { signal } from './warehouse-bench.ts';

/** Replicas take much longer, so the suite runs on them only with `TRIBUTARY_SOAK=1`. */
const replicas = process.env.TRIBUTARY_SOAK === '1' && machineHas('zookeeper') ? [1, 2] : [1];
const canRun = machineHas('clickhouse-server');

describe.skipIf(!canRun).each(replicas)('on two shards of %i servers', (replicas) => {
  let cluster: ClickhouseCluster;

  beforeAll(async () => {
    cluster = await startClickhouseCluster(replicas);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  describeWarehouse('clickhouse', async () => {
    const world = await openClickhouseWorld(cluster);
    const { warehouse, shards } = world;
    // Creates the tables, because the test may read them before the warehouse uses them.
    await warehouse.checkReady();
    return {
      ...world,
      maintenance: {
        compact: () => warehouse.compact({ rewriteAfterSeconds: 0, crowdedAbove: 2 }, signal),
        sweep: () => warehouse.sweep(0),
      },
      readRuns: (runs) => readClickhouseRuns(shards, runs),
    };
  });
});
