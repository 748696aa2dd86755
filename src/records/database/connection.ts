import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { codeOf, messageOf, TributaryError } from '../../domain/errors.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;

export interface DatabaseOptions {
  readonly url: string;
  /** The schema that holds our tables, so that a shared server, or a test, can give us one of our own. */
  readonly schema: string;
  readonly maxConnections: number;
}

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 60_000;
/**
 * Whoever stands still for so long in the middle of a transaction is frozen. What it has locked, the job
 * that it does above all, is then free for others.
 */
const standstillTimeoutMs = 10_000;

/** Opens a pool; nothing is connected until the first query. Close with `destroy()`. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connectionOptions(options),
    max: options.maxConnections,
    statement_timeout: statementTimeoutMs,
  });
  // An idle connection that breaks is dropped by the pool; the next query meets the fault itself.
  pool.on('error', () => {});
  pool.on('connect', prepare);
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: translating(pool) }) });
}

export function connectionOptions({ url, schema }: Pick<DatabaseOptions, 'url' | 'schema'>) {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    idle_in_transaction_session_timeout: standstillTimeoutMs,
    keepAlive: true,
    options: `-c search_path=${schema}`,
    types: { getTypeParser },
  } satisfies pg.ClientConfig;
}

/** Ids and counts are below 2^53, so 64-bit integers are read as numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** The pool, with the driver's errors about a lost or absent database turned into our own. */
function translating(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      return (await pool.connect().catch(throwTranslated)) as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

/**
 * Makes a new connection translate the errors of its queries. Kysely keys its own state by the
 * client object, so that object itself is changed.
 */
function prepare(client: pg.PoolClient): void {
  // Broken while checked out: the query under way, or the next one, rejects. Listened for from the
  // very first moment, since a server may end a session in the packet that begins it.
  client.on('error', () => {});
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const translatedQuery = (...args: unknown[]) => query(...args).catch(throwTranslated);
  client.query = translatedQuery as typeof client.query;
}

// 08: connection; 25P03: stood still in a transaction; 53: out of memory, disk or connections;
// 57P: shutting down or starting up.
const passingSqlStates = /^(08...|25P03|53...|57P..|57014)$/;
const passingSystemCodes = new Set([
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
  const passing =
    code === undefined
      ? /connection terminated|timeout exceeded|not queryable/i.test(messageOf(error))
      : passingSqlStates.test(code) || passingSystemCodes.has(code);
  return passing
    ? new TributaryError('unavailable', `The database does not answer: ${messageOf(error)}`, {
        cause: error,
      })
    : error;
}

function throwTranslated(error: unknown): never {
  throw translated(error);
}

/** In a transaction of its own, or in the one that `db` already is. */
export function atomically<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Whether an insert or update met that unique constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint;
}
