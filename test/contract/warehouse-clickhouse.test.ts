import { afterAll, beforeAll, describe } from 'vitest';
import {
  type ClickhouseCluster,
  type ClusterKind,
  startClickhouseCluster,
} from '../support/clickhouse-cluster.ts';
import { readClickhouseRuns } from '../support/clickhouse-runs.ts';
import { openClickhouseWorld } from '../support/clickhouse-world.ts';
import { machineHas } from '../support/requirements.ts';
import { describeWarehouse } from './warehouse.ts';
import { signal } from './warehouse-bench.ts';

/** Replicas take much longer. `TRIBUTARY_SOAK=1` runs the suite on them, and on one server. */
const kinds: ClusterKind[] =
  process.env.TRIBUTARY_SOAK === '1'
    ? ['server', 'shards', ...(machineHas('zookeeper') ? (['replicas'] as const) : [])]
    : ['shards'];
const canRun = machineHas('clickhouse-server');

describe.skipIf(!canRun).each(kinds)('on a cluster of the kind %s', (kind) => {
  let cluster: ClickhouseCluster;

  beforeAll(async () => {
    cluster = await startClickhouseCluster(kind);
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
