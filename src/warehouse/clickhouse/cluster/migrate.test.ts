import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { statementsOf } from './migrate.ts';

const text = `-- Why; with a semicolon.
create table if not exists a (x UInt8) engine = {copied MergeTree} order by x {durable};

-- Why.
create table b as a engine = Distributed({cluster}, {database}, a);
`;

it('statements for a cluster are skipped on a single server', () => {
  const columns = 'create table if not exists a (x UInt8)';
  const first = `${columns} engine = MergeTree order by x settings fsync = 1`;
  const second = 'create table b as a engine = Distributed(pair, db, a)';
  const database = 'db';
  const statements = (cluster: string | null, replicated: Parameters<typeof statementsOf>[3]) =>
    statementsOf(text, { database, cluster }, 'settings fsync = 1', replicated);
  expect(statements('pair', null)).toEqual([first, second]);
  expect(statements(null, null)).toEqual([first]);
  expect(statements('pair', { path: '/here', replica: 'one' })).toEqual([
    `${columns} engine = ReplicatedMergeTree('/here/a', 'one') order by x settings fsync = 1`,
    second,
  ]);
});

it('migrations are numbered without gaps and can be repeated', () => {
  const folder = new URL('./migrations/', import.meta.url);
  const names = readdirSync(folder).sort();
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, i) => i + 1));
  for (const name of names) {
    const sql = readFileSync(new URL(name, folder), 'utf8');
    for (const statement of statementsOf(sql, { database: 'db', cluster: 'pair' }, '', null)) {
      expect(statement).toMatch(/\bif (not )?exists\b/);
      expect(statement).not.toMatch(/[{}]/);
    }
  }
});
