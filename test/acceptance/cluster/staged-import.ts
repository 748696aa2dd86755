import pg from 'pg';
import { until } from '../service.ts';
import type { FaultWorld } from './fault-world.ts';

/**
 * Brings an import, whose file is held back, to the point at which all is staged and nothing is
 * committed: before it ends it waits for what it notes of its progress, and that waits for us.
 */
export async function untilStaged(world: FaultWorld, importId: number): Promise<HeldImport> {
  const client = new pg.Client({ connectionString: world.database.url });
  await client.connect();
  await client.query('begin');
  await client.query('select from tributary.job_progress where job_id = $1 for update', [importId]);
  const waiting = "from pg_stat_activity where wait_event_type = 'Lock'";
  await until('its progress to be noted', async () => {
    const { rowCount } = await client.query(`select ${waiting}`);
    return rowCount === 1;
  });
  const stagedBefore = await sum('select count() from run_device');
  world.bucket.letBodiesGo();
  await until('it to be staged', async () => {
    const staged = (await sum('select count() from run_device')) > stagedBefore;
    // The rows are dropped when their devices are in runs.
    return staged && (await sum('select count() from loaded_row')) === 0;
  });
  return {
    async letGo() {
      // Or that note would keep the job until the server finds its transaction to stand still.
      await client.query(`select pg_terminate_backend(pid) ${waiting}`);
      await client.end();
    },
  };

  async function sum(sql: string): Promise<number> {
    let sum = 0;
    for (const shard of world.warehouse.shards('faults')) {
      await using server = shard;
      const [row] = await server.select(sql);
      sum += Number(row?.[0]);
    }
    return sum;
  }
}

interface HeldImport {
  letGo(): Promise<void>;
}
