import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { connectionOptions, type DatabaseOptions } from './connection.ts';

/** A table of the schema, with the columns in the order of its rows. */
export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

interface DumpedRun {
  readonly file: string;
  readonly firstRowGroup: number;
  readonly devices: number;
}

/** Everything that one snapshot of the database holds. */
export interface Dump {
  readonly takenAt: Date;
  readonly schemaVersion: number;
  readonly installationId: string;
  /** An encrypted check value that only the right secret key can decrypt. */
  readonly keyCheck: Buffer;
  /** The number of the newest change of files. */
  readonly latestChange: number;
  /**
   * Those that have rows, in an order in which these can be inserted: a table comes after the tables that
   * it references.
   */
  readonly tables: readonly DumpedTable[];
  /** The last value of each sequence that was used. */
  readonly sequences: Readonly<Record<string, number>>;
  /** The rows of a table in the text format of `copy`. */
  copy(table: DumpedTable): AsyncIterable<Uint8Array>;
  /** The bytes of a table on the disk of the server, without its indexes. */
  bytesOf(table: DumpedTable): Promise<number>;
  /** The runs that the manifest or a fold needs. */
  runs(): Promise<DumpedRun[]>;
  /** The blobs of objects and of open uploads. */
  blobs(): Promise<{ name: string; size: number }[]>;
}

/** The server ends the session of a process that is idle in the snapshot for this long. */
const idleTimeoutMs = 5 * 60 * 1000;

/** Reads one snapshot of the database while `work` runs. Nothing waits for it except a migration. */
export async function withDump<T>(
  options: Pick<DatabaseOptions, 'url' | 'schema'>,
  work: (dump: Dump) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const client = new pg.Client({
    ...connectionOptions(options),
    idle_in_transaction_session_timeout: idleTimeoutMs,
  });
  // If the connection breaks, the running query also rejects.
  client.on('error', () => {});
  const end = () => void client.end().catch(() => {});
  signal.addEventListener('abort', end);
  try {
    await client.connect();
    await client.query('begin transaction isolation level repeatable read, read only');
    return await work(await openDump(client));
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
    await client.end().catch(() => {});
  }
}

async function openDump(client: pg.Client): Promise<Dump> {
  const { rows: about } = await client.query<
    Pick<Dump, 'takenAt' | 'schemaVersion' | 'installationId' | 'keyCheck' | 'latestChange'>
  >(`
    select now() as "takenAt", (select max(number) from migration) as "schemaVersion",
      installation_id as "installationId", key_check as "keyCheck",
      (select coalesce(max(change_id), 0) from data_change) as "latestChange"
    from installation
  `);
  if (!about[0]) throw new Error('the database has no data yet: start the service first');
  return {
    ...about[0],
    tables: await withRows(client, await readTables(client)),
    sequences: await readSequences(client),

    // The query begins with the first read. Without a reader, an error of the query would end the process.
    async *copy({ name, columns }) {
      const rows = copyTo(`copy ${pg.escapeIdentifier(name)} (${listOf(columns)}) to stdout`);
      yield* client.query(rows);
    },

    async bytesOf({ name }) {
      const { rows } = await client.query<{ bytes: number }>(
        'select pg_table_size($1::regclass) as bytes',
        [pg.escapeIdentifier(name)],
      );
      return rows[0]!.bytes;
    },

    async runs() {
      const { rows } = await client.query<DumpedRun>(`
        select file, first_row_group as "firstRowGroup", devices from run
        union select file, first_row_group, devices from universe_change
        order by file, "firstRowGroup"
      `);
      return rows;
    },

    async blobs() {
      const { rows } = await client.query<{ name: string; size: number }>(
        'select name, size from blob order by name',
      );
      return rows;
    },
  };
}

export function listOf(columns: readonly string[]): string {
  return columns.map((column) => pg.escapeIdentifier(column)).join(', ');
}

/** Without `migration`, which a restore fills as it migrates. */
async function readTables(client: pg.Client): Promise<DumpedTable[]> {
  const { rows } = await client.query<DumpedTable & { needs: string[] }>(`
    select relname::text as name,
      array(
        select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum
      ) as columns,
      array(
        select distinct needed.relname::text from pg_constraint
        join pg_class as needed on needed.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid
      ) as needs
    from pg_class
    where relnamespace = current_schema::regnamespace and relkind = 'r' and relname <> 'migration'
    order by relname
  `);
  const ordered: DumpedTable[] = [];
  const waiting = new Map(rows.map((row) => [row.name, row]));
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ needs }) => !needs.some((n) => waiting.has(n)));
    if (ready.length === 0) throw new Error('tables reference each other in a cycle');
    for (const { name, columns } of ready) {
      waiting.delete(name);
      ordered.push({ name, columns });
    }
  }
  return ordered;
}

async function withRows(client: pg.Client, tables: readonly DumpedTable[]): Promise<DumpedTable[]> {
  const found = tables.map(({ name }) => `exists (select from ${pg.escapeIdentifier(name)})`);
  const { rows } = await client.query<{ found: boolean[] }>(
    `select array[${found.join(', ')}] as found`,
  );
  return tables.filter((_, i) => rows[0]!.found[i]);
}

/** Sequences are outside of transactions, so these values may be later than the snapshot, never earlier. */
async function readSequences(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; value: number }>(`
    select sequencename::text as name, last_value as value from pg_sequences
    where schemaname = current_schema and last_value is not null
  `);
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
