import { formatDeviceId } from '../../src/domain/device-id.ts';
import type { Run } from '../../src/records/warehouse/manifest.ts';
import type { Server } from '../../src/warehouse/clickhouse/cluster/server.ts';
import { runIdOf } from '../../src/warehouse/clickhouse/rows/run-ids.ts';
import { devicesIn, within } from '../../src/warehouse/clickhouse/rows/sql.ts';
import { groupBySize } from '../../src/warehouse/group-by-size.ts';

/** A query for more would need more memory than a query may take. */
const devicesPerQuery = 500_000;

/** The devices of each run, collected from all shards. */
export async function readClickhouseRuns(
  shards: readonly Server[],
  runs: readonly Run[],
): Promise<string[][]> {
  const byRun = new Map<string, string[]>();
  for (const some of groupBySize(runs, (run) => devicesIn([run]), devicesPerQuery)) {
    const sql = `select run_id, hex(device) from run_device where ${within(some)}`;
    for (const [id = '', device = ''] of await selectAll(shards, sql)) {
      const devices = byRun.get(id) ?? [];
      devices.push(formatDeviceId(Buffer.from(device, 'hex')));
      byRun.set(id, devices);
    }
  }
  return runs.map((run) => (byRun.get(String(runIdOf(run))) ?? []).sort());
}

async function selectAll(shards: readonly Server[], sql: string): Promise<string[][]> {
  return (await Promise.all(shards.map((shard) => shard.select(sql)))).flat();
}
