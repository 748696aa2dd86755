import type { ClusterAddress, ClusterRecords } from './cluster/cluster.ts';
import { createReplicas } from './cluster/replicas.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { placeOf } from './rows/run-ids.ts';
import { deviceTables } from './rows/sql.ts';

/** The devices that the shards hold of each run, by its file and number. Reads one column of all rows. */
export async function countRuns(
  address: ClusterAddress,
  records: ClusterRecords,
): Promise<Map<string, number>> {
  await using replicas = createReplicas(address, records);
  const ids = deviceTables.map((table) => `select run_id from ${table}`).join(' union all ');
  const sql = `select run_id, count() from (${ids}) group by run_id`;
  const sums = await replicas.use((cluster) => cluster.sums(sql, { timeoutMs: longTimeoutMs }));
  return new Map(
    [...sums].map(([id, devices]) => {
      const { file, firstRowGroup } = placeOf(BigInt(id));
      return [`${file} ${firstRowGroup}`, devices];
    }),
  );
}
