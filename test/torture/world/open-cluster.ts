import { openDatabase } from '../../../src/records/database/connection.ts';
import { createSealing } from '../../../src/records/database/sealing.ts';
import { createRecords } from '../../../src/records/records.ts';
import type { Run } from '../../../src/records/warehouse/manifest.ts';
import { openClickhouseWarehouse } from '../../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import { deviceTables } from '../../../src/warehouse/clickhouse/rows/sql.ts';
import type { ClickhouseCluster } from '../../support/clickhouse-cluster.ts';
import { readClickhouseRuns } from '../../support/clickhouse-runs.ts';
import type { Opened } from './world.ts';

/** Opens the database and the shards of a service that has stopped. */
export async function openCluster(
  databaseUrl: string,
  secretKey: string,
  cluster: ClickhouseCluster,
  database: string,
): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const db = openDatabase({ url: databaseUrl, schema: 'tributary', maxConnections: 5 });
  opening.defer(() => db.destroy());
  const records = createRecords(db, createSealing([secretKey]));
  const address = { ...cluster.freshAddress(), database };
  const warehouse = opening.use(openClickhouseWarehouse({ address, records, graceSeconds: 0 }));
  const shards = cluster.shards(database).map((shard) => opening.use(shard));
  const again = await db.selectFrom('job').select('job_id').where('attempt', '>', 1).execute();
  const open = opening.move();
  return {
    records,
    warehouse,
    interruptedJobs: again.length,
    async devicesOf(runs) {
      const devices = await readClickhouseRuns(shards, runs);
      return devices.map((each) => each.map((device) => device.replaceAll('-', '')));
    },
    async differences(runs) {
      const stored = await Promise.all(
        shards.flatMap((shard) =>
          deviceTables.map((table) => shard.select(`select count() from ${table}`)),
        ),
      );
      const rows = stored.flat().reduce((sum, [count]) => sum + Number(count), 0);
      const referred = runs.reduce((sum: number, { devices }: Run) => sum + devices, 0);
      return rows === referred ? [] : [`${rows} rows are stored, but runs have ${referred}`];
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
