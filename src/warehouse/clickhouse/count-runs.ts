import { type ClusterAddress, type ClusterRecords, createCluster } from './cluster/cluster.ts';
import { longTimeoutMs } from './cluster/server.ts';
import { placeOf } from './rows/run-ids.ts';
import { deviceTables } from './rows/sql.ts';

/** The devices that the shards hold of each run, by its file and number. Reads one column of all rows. */
export async function countRuns(
  address: ClusterAddress,
  records: ClusterRecords,
): Promise<Map<string, number>> {
  await using cluster = createCluster(address, records);
  const ids = deviceTables.map((table) => `select run_id from ${table}`).join(' union all ');
  const sums = await cluster.sums(`select run_id, count() from (${ids}) group by run_id`, {
    timeoutMs: longTimeoutMs,
  });
  return new Map(
    [...sums].map(([id, devices]) => {
      const { file, firstRowGroup } = placeOf(BigInt(id));
      return [`${file} ${firstRowGroup}`, devices];
    }),
  );
}
