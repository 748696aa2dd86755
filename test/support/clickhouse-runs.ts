import { formatDeviceId } from '../../src/domain/device-id.ts';
import type { Run } from '../../src/records/warehouse/manifest.ts';
import type { Server } from '../../src/warehouse/clickhouse/cluster/server.ts';

/** The devices of each run, collected from all shards. */
export async function readClickhouseRuns(
  shards: readonly Server[],
  runs: readonly Run[],
): Promise<string[][]> {
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
