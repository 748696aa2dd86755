import { afterAll, beforeAll, describe } from 'vitest';
import { formatDeviceId } from '../../src/domain/device-id.ts';
import type { Run } from '../../src/records/manifest.ts';
import { openClickhouseWarehouse } from '../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import { type ClickhouseCluster, startClickhouseCluster } from '../support/clickhouse-cluster.ts';
import { freshRecords } from '../support/database.ts';
import { machineHas } from '../support/requirements.ts';
import { describeWarehouse } from './warehouse.ts';
import { signal } from './warehouse-bench.ts';

/** The devices of runs on all shards, by the ids that the engine is documented to give them. */
async function readRuns(
  cluster: ClickhouseCluster,
  database: string,
  runs: readonly Run[],
): Promise<string[][]> {
  const found = new Map<string, string[]>();
  for (const shard of cluster.shards(database)) {
    await using server = shard;
    const rows = await server.select('select run_id, hex(device) from run_device order by device');
    for (const [id = '', device = ''] of rows) {
      found.set(id, [...(found.get(id) ?? []), formatDeviceId(Buffer.from(device, 'hex'))]);
    }
  }
  return runs.map(({ file, firstRowGroup }) => {
    const id = BigInt(file.replace('clickhouse-', '')) * 1_048_576n + BigInt(firstRowGroup);
    return (found.get(String(id)) ?? []).sort();
  });
}

describe.skipIf(!machineHas('clickhouse-server'))('on two shards', () => {
  let cluster: ClickhouseCluster;

  beforeAll(async () => {
    cluster = await startClickhouseCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  describeWarehouse('clickhouse', async () => {
    await using setup = new AsyncDisposableStack();
    const { records } = setup.use(await freshRecords());
    const address = cluster.freshAddress();
    const warehouse = setup.use(
      // Blocks and passes of few rows, so that loads have several.
      openClickhouseWarehouse({
        address,
        records,
        graceSeconds: 0,
        devicesPerPass: 10_000,
        rowsPerBlock: 4_000,
      }),
    );
    const resources = setup.move();
    return {
      warehouse,
      records,
      maintenance: {
        compact: () => warehouse.compact({ rewriteAfterSeconds: 0, crowdedAbove: 2 }, signal),
        sweep: () => warehouse.sweep(0),
      },
      readRuns: (runs) => readRuns(cluster, address.database, runs),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  });
});
