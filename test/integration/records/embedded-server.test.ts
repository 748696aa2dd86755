import pg from 'pg';
import { expect, it } from 'vitest';
import { startOutsidePostgres } from '../../support/outside-postgres.ts';

it('the embedded PostgreSQL has connections for an API process, a worker with 100 lanes and an isolated worker', async () => {
  await using server = await startOutsidePostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const { rows } = await client.query('show max_connections');
  await client.end();
  expect(Number(rows[0].max_connections)).toBeGreaterThanOrEqual(20 + (2 * 100 + 8 + 6) + 8);
});
