import pg from 'pg';
import { until } from '../service.ts';
import type { FaultWorld } from './fault-world.ts';

/**
 * Brings an import whose file is held back to the point where everything is staged and nothing is
 * committed. Before it commits it waits for its progress report, which waits for our row lock.
 */
export async function untilStaged(world: FaultWorld, importId: number): Promise<HeldImport> {
  const client = new pg.Client({ connectionString: world.database.url });
  await client.connect();
  await client.query('begin');
  await client.query('select from tributary.job_progress where job_id = $1 for update', [importId]);
  const waiting = "from pg_stat_activity where wait_event_type = 'Lock'";
  await until('its progress report to wait', async () => {
    const { rowCount } = await client.query(`select ${waiting}`);
    return rowCount === 1;
  });
  const stagedBefore = await sum('select count() from run_device');
  world.bucket.letBodiesGo();
  await until('it to be staged', async () => {
    const staged = (await sum('select count() from run_device')) > stagedBefore;
    // Loaded rows are dropped once their devices are in runs.
    return staged && (await sum('select count() from loaded_row')) === 0;
  });
  return {
    async release() {
      // Otherwise the report would block the job until the server ends its idle transaction.
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
  release(): Promise<void>;
}
