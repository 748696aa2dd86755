import { tmpdir } from 'node:os';
import { noReserve } from '../../src/domain/disk-reserve.ts';
import type { Records } from '../../src/records/records.ts';
import { openClickhouseWarehouse } from '../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import type { ClusterAddress } from '../../src/warehouse/clickhouse/cluster/cluster.ts';
import type { ClickhouseCluster } from './clickhouse-cluster.ts';
import { freshRecords } from './database.ts';

/** Little memory, so that larger loads spill to disk. */
export const testLoading = {
  directory: tmpdir(),
  reserve: noReserve,
  threads: 2,
  memoryBytes: 1 << 20,
  lanes: 8,
};

/**
 * A warehouse on the shards, with its own records. Its limits are low, so loads have several parts and folds
 * write profiles.
 */
export async function openClickhouseWorld(cluster: ClickhouseCluster) {
  await using setup = new AsyncDisposableStack();
  const { records } = setup.use(await freshRecords());
  const address = cluster.freshAddress();
  const options = { devicesPerShard: 5_000, loading: testLoading, profiledFrom: 2 };
  const open = (graceSeconds: number, at: ClusterAddress, given: Records = records) =>
    openClickhouseWarehouse({ ...options, records: given, address: at, graceSeconds });
  const warehouse = setup.use(open(0, address));
  const shards = cluster.shards(address.database).map((shard) => setup.use(shard));
  const resources = setup.move();

  /** The sum of the numbers that all shards return. */
  async function sum(sql: string): Promise<number> {
    const answers = await Promise.all(shards.map((shard) => shard.select(sql)));
    return answers.flat().reduce((sum, [value]) => sum + Number(value), 0);
  }

  return {
    warehouse,
    records,
    address,
    shards,
    /** All servers, also the other replicas of the shards. */
    servers: cluster.servers(address.database).map((server) => resources.use(server)),
    sum,
    /** Another warehouse with the same records. */
    open,
    reopen: async (given: Records) => open(0, address, given),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
