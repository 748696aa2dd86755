import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectionOptions, type DatabaseOptions } from './connection.ts';
import { type Dump, type DumpedTable, listOf } from './dump.ts';
import { migrate } from './migrate.ts';

type Place = Pick<DatabaseOptions, 'url' | 'schema'>;

/** What a restore changes in the records, because the data is now in another place. */
export interface RestoredPlace {
  readonly mark: string;
  readonly address: string;
  /** The set that is restored. Its own backup was still running when it was made. */
  readonly set: string;
}

/** Whether the schema has tables. */
export async function hasTables(options: Place): Promise<boolean> {
  return withClient(options, async (client) => {
    const { rows } = await client.query<{ found: boolean }>(
      'select exists (select from pg_tables where schemaname = $1) as found',
      [options.schema],
    );
    return rows[0]!.found;
  });
}

/**
 * Fills an empty schema with the rows of a dump, in the version in which they were dumped. Jobs that ran
 * then are pending again, without a loss. If it fails, it drops the schema.
 */
export async function loadDump(
  options: Place,
  { schemaVersion, tables, sequences }: Pick<Dump, 'schemaVersion' | 'tables' | 'sequences'>,
  rowsOf: (table: DumpedTable) => AsyncIterable<Uint8Array>,
  place: RestoredPlace,
): Promise<void> {
  try {
    await migrate(options, schemaVersion);
    await withClient(options, async (client) => {
      await client.query('begin');
      // Migrations have inserted first rows.
      const names = await tablesOf(client);
      await client.query(`truncate ${listOf(names)}`);
      for (const table of tables) {
        const { name, columns } = table;
        const into = `copy ${pg.escapeIdentifier(name)} (${listOf(columns)}) from stdin`;
        await pipeline(Readable.from(rowsOf(table)), client.query(copyFrom(into)));
      }
      for (const [name, value] of Object.entries(sequences)) {
        await client.query('select setval($1::regclass, $2)', [pg.escapeIdentifier(name), value]);
      }
      await adjust(client, place);
      await client.query('commit');
      await client.query('analyze');
    });
  } catch (error) {
    await withClient(options, async (client) => {
      await client.query(`drop schema if exists ${pg.escapeIdentifier(options.schema)} cascade`);
    }).catch(() => {});
    throw error;
  }
}

async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select tablename::text as name from pg_tables
    where schemaname = current_schema and tablename <> 'migration'
  `);
  return rows.map(({ name }) => name);
}

async function adjust(client: pg.Client, { mark, address, set }: RestoredPlace): Promise<void> {
  await client.query(
    "update job set state = 'pending', lease_until = null where state = 'running'",
  );
  // A new mark: the folder that the set was made of no longer fits this database.
  await client.query("update place set mark = $1, address = $2 where kind = 'folder'", [
    mark,
    address,
  ]);
  await client.query(
    `update backup set state = case when set_name = $1 then 'done' else 'failed' end, ended_at = now(),
      problem = case when set_name = $1 then null else 'The service was restored from a backup.' end
    where state in ('pending', 'running')`,
    [set],
  );
}

async function withClient<T>(options: Place, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...connectionOptions(options),
    // Rows come from a store that may be slow.
    idle_in_transaction_session_timeout: 0,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
