import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Place } from '../../../src/records/database/places.ts';
import { freshRecords } from '../../support/database.ts';

const migration = new URL(
  '../../../src/records/database/migrations/0011-places.sql',
  import.meta.url,
);
const folder: Place = { kind: 'folder', mark: randomUUID(), address: '/data' };
const otherFolder: Place = { kind: 'folder', mark: randomUUID(), address: '/other' };
const clickhouse: Place = { kind: 'clickhouse', mark: randomUUID(), address: 'ClickHouse' };

it('each content has one place, which is the one registered first', async () => {
  await using fresh = await freshRecords();
  const { places } = fresh.records;
  expect(await places.find('device sets')).toBeUndefined();
  const registrations = [clickhouse, folder, otherFolder].map((place) =>
    places.register('device sets', place),
  );
  const [first, ...others] = await Promise.all(registrations);
  expect([clickhouse, folder, otherFolder]).toContainEqual(first);
  for (const other of others) expect(other).toEqual(first);
  expect(await places.find('objects')).toBeUndefined();
});

it('device sets from before the migration are in a folder, the first one registered', async () => {
  await using fresh = await freshRecords();
  const { records, db } = fresh;
  const { places, manifest } = records;
  await records.runFiles.register({ file: 'a', jobId: null, attempt: null });
  const segmentId = await records.segments.create('audience');
  const run = { segmentId, file: 'a', firstRowGroup: 0, rowGroups: 1, devices: 1, bytes: 16 };
  await manifest.apply({ add: [run], drop: [] });
  await sql`drop table place`.execute(db);
  await sql.raw(await readFile(migration, 'utf8')).execute(db);

  const unmarked = { kind: 'folder', mark: null };
  expect(await places.register('device sets', clickhouse)).toMatchObject(unmarked);
  expect(await places.register('device sets', folder)).toEqual(folder);
  expect(await places.register('device sets', otherFolder)).toEqual(folder);
});
