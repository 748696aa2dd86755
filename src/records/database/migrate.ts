import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { connectionOptions, type DatabaseOptions } from './connection.ts';
import {
  migrationFiles,
  migrationsFolder,
  refuseNewer,
  supportedSchema,
} from './schema-version.ts';

/** The first version with `idle_session_timeout`, which exclusive locks depend on. */
const oldestServer = 14;

/**
 * Migrates the schema, to the version of this Tributary if no other is given. Any number of processes
 * may call it at once: one migrates, the others wait for the lock and find nothing to do. Forward only;
 * a newer schema is refused.
 */
export async function migrate(
  options: Pick<DatabaseOptions, 'url' | 'schema'>,
  version = supportedSchema,
): Promise<{ applied: number }> {
  const client = new pg.Client(connectionOptions(options));
  // If the connection breaks, the running query also rejects.
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows: servers } = await client.query<{ major: number }>(
      "select current_setting('server_version_num')::integer / 10000 as major",
    );
    if (servers[0]!.major < oldestServer) {
      throw new Error(
        `PostgreSQL ${servers[0]!.major} is too old: use version ${oldestServer} or later`,
      );
    }
    await client.query('begin');
    // Also serialises migrations of two schemas on one server; they are rare and short.
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
    refuseNewer(last);
    // Waits for commits that have read the version, and makes later ones see the new version.
    if (last < version) {
      await client.query('lock table migration in access exclusive mode');
    }
    for (const [index, name] of migrationFiles.entries()) {
      if (index < last || index >= version) continue;
      await client.query(await readFile(new URL(name, migrationsFolder), 'utf8'));
      await client.query('insert into migration (number, name) values ($1, $2)', [index + 1, name]);
    }
    await client.query('commit');
    return { applied: version - last };
  } finally {
    // Without a commit, the server rolls back when the connection ends.
    await client.end();
  }
}
