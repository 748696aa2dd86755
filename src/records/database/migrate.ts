import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { connectionOptions, type DatabaseOptions } from './connection.ts';

/** The first that ends a session which has fallen silent, which locks depend on. */
const oldestServer = 14;

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Brings the schema to this version. Any number of processes may call it at once: one works, the
 * others wait at the lock and find nothing left to do. Forward only; a newer schema is refused.
 */
export async function migrate(
  options: Pick<DatabaseOptions, 'url' | 'schema'>,
): Promise<{ applied: number }> {
  const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).sort();
  const client = new pg.Client(connectionOptions(options));
  // A connection that breaks here also rejects the query under way.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows: servers } = await client.query<{ major: number }>(
      "select current_setting('server_version_num')::integer / 10000 as major",
    );
    if (servers[0]!.major < oldestServer) {
      throw new Error(
        `the server is PostgreSQL ${servers[0]!.major}, and ${oldestServer} is the oldest that will do`,
      );
    }
    await client.query('begin');
    // Two schemas of one server take turns as well; migrations are rare and short.
    await client.query("select pg_advisory_xact_lock(hashtext('tributary migrations'))");
    await client.query(`create schema if not exists ${pg.escapeIdentifier(options.schema)}`);
    await client.query(
      `create table if not exists migration (
        number integer primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )`,
    );
    const { rows } = await client.query<{ last: number }>(
      'select coalesce(max(number), 0)::integer as last from migration',
    );
    const last = rows[0]?.last ?? 0;
    if (last > files.length) {
      throw new Error(
        `the database is at version ${last} and this Tributary knows only ${files.length}: run the newer one`,
      );
    }
    for (const [index, name] of files.entries()) {
      if (index < last) continue;
      await client.query(await readFile(new URL(name, migrationsFolder), 'utf8'));
      await client.query('insert into migration (number, name) values ($1, $2)', [index + 1, name]);
    }
    await client.query('commit');
    return { applied: files.length - last };
  } finally {
    // Without a commit the server rolls back when the connection goes.
    await client.end();
  }
}
