import pg from 'pg';
import { expect, test } from 'vitest';
import { migrate } from '../../../src/records/database/migrate.ts';
import { SchemaNewer } from '../../../src/records/database/schema-version.ts';
import { freshRecords } from '../../support/database.ts';

test('eight processes that migrate at once apply each migration exactly once', async () => {
  await using fresh = await freshRecords();
  const options = { url: fresh.url, schema: 'another' };
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => migrate(options)));
  const applied = outcomes.map((outcome) => outcome.applied).sort();
  expect(applied.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(applied[7]).toBeGreaterThan(0);

  const client = new pg.Client({ connectionString: options.url });
  await client.connect();
  const { rows } = await client.query(`select number from ${options.schema}.migration order by 1`);
  expect(rows.map((row) => row.number)).toEqual(rows.map((_, index) => index + 1));
  await client.end();
});

test('a schema newer than this version is refused, not used', async () => {
  await using fresh = await freshRecords();
  const client = new pg.Client({ connectionString: fresh.url });
  await client.connect();
  await client.query(`insert into ${fresh.schema}.migration (number, name) values (9999, 'later')`);
  await client.end();
  await expect(migrate(fresh)).rejects.toThrow(SchemaNewer);
});
