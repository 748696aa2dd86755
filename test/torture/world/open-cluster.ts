import { openDatabase } from '../../../src/records/database/connection.ts';
import { createSealing } from '../../../src/records/database/sealing.ts';
import { createRecords } from '../../../src/records/records.ts';
import type { Run } from '../../../src/records/warehouse/manifest.ts';
import { openClickhouseWarehouse } from '../../../src/warehouse/clickhouse/clickhouse-warehouse.ts';
import type { Server } from '../../../src/warehouse/clickhouse/cluster/server.ts';
import { deviceTables } from '../../../src/warehouse/clickhouse/rows/sql.ts';
import type { ClickhouseCluster } from '../../support/clickhouse-cluster.ts';
import { readClickhouseRuns } from '../../support/clickhouse-runs.ts';
import { testLoading } from '../../support/clickhouse-world.ts';
import { until } from '../until.ts';
import { inCurrentPlace } from './current-place.ts';
import type { Opened } from './world.ts';

async function countRows(servers: readonly Server[]): Promise<number> {
  const counts = await Promise.all(
    servers.flatMap((server) =>
      deviceTables.map((table) => server.select(`select count() from ${table}`)),
    ),
  );
  return counts.flat().reduce((sum, [count]) => sum + Number(count), 0);
}

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
  const records = await inCurrentPlace(createRecords(db, createSealing([secretKey])));
  const address = { ...cluster.freshAddress(), database };
  const warehouse = opening.use(
    openClickhouseWarehouse({ address, records, graceSeconds: 0, loading: testLoading }),
  );
  const shards = cluster.shards(database).map((shard) => opening.use(shard));
  const servers = cluster.servers(database).map((server) => opening.use(server));
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
      const referred = runs.reduce((sum: number, { devices }: Run) => sum + devices, 0);
      const copies = servers.length / shards.length;
      const differences: string[] = [];
      for (let copy = 0; copy < copies; copy++) {
        const ofCopy = servers.filter((_, i) => i % copies === copy);
        let rows = 0;
        // A replica that was just killed needs time to catch up.
        const isSame = until(
          'the replicas to catch up',
          async () => {
            rows = await countRows(ofCopy);
            return copies === 1 || rows === referred;
          },
          500,
        );
        await isSame.catch(() => {});
        if (rows !== referred)
          differences.push(`${rows} rows are stored, but runs have ${referred}`);
      }
      return differences;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
