import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** Everything in the database of a release: the migrations that made its tables, and their rows. */
export interface DatabaseCopy {
  /** The name of each migration and the hash of its file. */
  readonly migrations: readonly (readonly [name: string, sha256: string])[];
  /** The rows of each table, as PostgreSQL writes them as JSON. */
  readonly tables: Readonly<Record<string, string>>;
  readonly sequences: Readonly<Record<string, string>>;
}

const migrationsFolder = join(import.meta.dirname, '../../../src/records/database/migrations');

export async function copyDatabase(url: string, schema: string): Promise<DatabaseCopy> {
  await using database = await connect(url, schema);
  const { client } = database;
  const { rows: applied } = await client.query('select name from migration order by number');
  const migrations = await Promise.all(
    applied.map(async ({ name }) => [name, await hashOf(name)] as const),
  );
  const tables: Record<string, string> = {};
  for (const table of await tablesOf(client, schema)) {
    const query = `select coalesce(json_agg(t), '[]')::text as rows from ${pg.escapeIdentifier(table)} t`;
    tables[table] = (await client.query(query)).rows[0].rows;
  }
  const { rows: sequences } = await client.query(
    'select sequencename, last_value from pg_sequences where schemaname = $1 and last_value is not null',
    [schema],
  );
  return {
    migrations,
    tables,
    sequences: Object.fromEntries(sequences.map((row) => [row.sequencename, row.last_value])),
  };
}

/** Makes the schema as the release had it. Fails if one of its migrations was changed since. */
export async function restoreDatabase(
  copy: DatabaseCopy,
  url: string,
  schema: string,
): Promise<void> {
  const present = await readdir(migrationsFolder);
  for (const [name, sha256] of copy.migrations) {
    if (present.includes(name) && (await hashOf(name)) === sha256) continue;
    throw new Error(`the migration ${name} was changed or removed after it was released`);
  }
  await using database = await connect(url, schema);
  const { client } = database;
  await client.query(`create schema ${schema}`);
  await client.query(
    'create table migration (number integer primary key, name text not null, applied_at timestamptz not null default now())',
  );
  for (const [name] of copy.migrations) {
    await client.query(await readFile(join(migrationsFolder, name), 'utf8'));
  }
  // No row refers to a missing one, but the tables are not filled in the order of their references.
  await client.query('set session_replication_role = replica');
  for (const [table, rows] of Object.entries(copy.tables)) {
    const name = pg.escapeIdentifier(table);
    // Some migrations insert rows.
    await client.query(`delete from ${name}`);
    await client.query(
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $1)`,
      [rows],
    );
  }
  for (const [sequence, last] of Object.entries(copy.sequences)) {
    await client.query('select setval($1::regclass, $2)', [pg.escapeIdentifier(sequence), last]);
  }
}

async function tablesOf(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query(
    'select tablename from pg_tables where schemaname = $1 order by tablename',
    [schema],
  );
  return rows.map(({ tablename }) => tablename);
}

async function hashOf(migration: string): Promise<string> {
  const text = await readFile(join(migrationsFolder, migration));
  return createHash('sha256').update(text).digest('hex');
}

async function connect(
  url: string,
  schema: string,
): Promise<AsyncDisposable & { client: pg.Client }> {
  const client = new pg.Client({
    connectionString: url,
    options: `-c search_path=${schema}`,
  });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
