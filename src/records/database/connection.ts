import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { codeOf, messageOf, TributaryError } from '../../domain/errors.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;

export interface DatabaseOptions {
  readonly url: string;
  /** The schema of our tables, so that we can share a server and each test has its own tables. */
  readonly schema: string;
  readonly maxConnections: number;
}

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 60_000;
/**
 * A process that is idle in a transaction for this long is taken for frozen. The server ends its
 * session, which frees its locks, above all the one on its job.
 */
const idleInTransactionTimeoutMs = 10_000;

/** Opens a pool, which connects at the first query. Close it with `destroy()`. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connectionOptions(options),
    max: options.maxConnections,
    statement_timeout: statementTimeoutMs,
  });
  // The pool drops an idle connection that breaks; the next query reports the error.
  pool.on('error', () => {});
  pool.on('connect', translateQueryErrors);
  return new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: translateConnectErrors(pool) }),
  });
}

export function connectionOptions({ url, schema }: Pick<DatabaseOptions, 'url' | 'schema'>) {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    keepAlive: true,
    options: `-c search_path=${schema}`,
    types: { getTypeParser },
  } satisfies pg.ClientConfig;
}

/** Reads 64-bit integers as numbers, because ids and counts are below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** Turns the driver's errors about an unavailable database into TributaryErrors. */
function translateConnectErrors(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      return (await pool.connect().catch(throwTranslated)) as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

/**
 * The same for the queries of a new connection. Changes the client object itself, because Kysely
 * keys its own state by it.
 */
function translateQueryErrors(client: pg.PoolClient): void {
  // If the connection breaks while checked out, the current or next query rejects. Listen from the
  // start, because a server may end a session in the packet that begins it.
  client.on('error', () => {});
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const translatedQuery = (...args: unknown[]) => query(...args).catch(throwTranslated);
  client.query = translatedQuery as typeof client.query;
}

// 08: connection; 25P03: idle in a transaction; 53: out of memory, disk or connections;
// 57P: shutting down or starting up; 57014: statement timeout.
const temporarySqlStates = /^(08...|25P03|53...|57P..|57014)$/;
const temporarySystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

function translated(error: unknown): unknown {
  const code = codeOf(error);
  const isTemporary =
    code === undefined
      ? /connection terminated|timeout exceeded|not queryable/i.test(messageOf(error))
      : temporarySqlStates.test(code) || temporarySystemCodes.has(code);
  return isTemporary
    ? new TributaryError('unavailable', `The database is unavailable: ${messageOf(error)}`, {
        cause: error,
      })
    : error;
}

function throwTranslated(error: unknown): never {
  throw translated(error);
}

/** Runs `work` in the transaction that `db` already is, or else in a new one. */
export function atomically<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Whether an insert or update failed because of that constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint;
}
