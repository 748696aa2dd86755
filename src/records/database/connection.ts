import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { codeOf, messageOf, StatementCancelled, TributaryError } from '../../domain/errors.ts';
import { createCallerShares, currentCaller } from './caller-shares.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;

export interface DatabaseOptions {
  readonly url: string;
  /** The schema of our tables, so that we can share a server and each test has its own tables. */
  readonly schema: string;
  readonly maxConnections: number;
  /** How many of them the requests of one tenant take at once, so that others find a free one. */
  readonly connectionsPerCaller?: number | undefined;
  /** How long a statement may take before the server cancels it. */
  readonly statementTimeoutMs?: number | undefined;
}

const connectTimeoutMs = 5_000;
/** For workers, whose commits may be large. */
const defaultStatementTimeoutMs = 60_000;
/** How long after the statement timeout a server without an answer is taken for frozen. */
const answerGraceMs = 1_000;
/**
 * A process that is idle in a transaction for this long is taken for frozen. The server ends its
 * session, which frees its locks, above all the one on its job.
 */
const idleInTransactionTimeoutMs = 10_000;

/** The connections of a pool at the moment. */
export interface PoolUse {
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  /** Queries and transactions that wait for a connection. */
  readonly waiting: number;
}

/** Opens a pool, which connects at the first query. Close it with `destroy()`. */
export function openDatabase(options: DatabaseOptions): Database {
  return openPool(options).db;
}

/** The same, with a look at the pool. */
export function openPool(options: DatabaseOptions): { db: Database; use: () => PoolUse } {
  const {
    maxConnections,
    connectionsPerCaller = maxConnections,
    statementTimeoutMs = defaultStatementTimeoutMs,
  } = options;
  const pool = new pg.Pool({
    ...connectionOptions(options),
    max: maxConnections,
    statement_timeout: statementTimeoutMs,
  });
  // The pool drops an idle connection that breaks; the next query reports the error.
  pool.on('error', () => {});
  pool.on('connect', (client) => guardQueries(client, statementTimeoutMs + answerGraceMs));
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: sharedPool(pool, connectionsPerCaller) }),
  });
  const use = () => ({
    max: maxConnections,
    open: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  });
  return { db, use };
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

/** Shares the connections among callers, and turns errors about an unavailable database into TributaryErrors. */
function sharedPool(pool: pg.Pool, connectionsPerCaller: number): PostgresPool {
  const shares = createCallerShares(connectionsPerCaller);
  return {
    async connect() {
      const caller = currentCaller();
      const leave = caller === undefined ? () => {} : await shares.take(caller);
      try {
        const client = await pool.connect();
        const release = client.release;
        client.release = (error) => {
          release(error);
          leave();
        };
        return client as PostgresPoolClient;
      } catch (error) {
        leave();
        throw translated(error);
      }
    },
    end: () => pool.end(),
  };
}

/**
 * The same for the queries of a new connection, each of which also gets a deadline. Changes the
 * client object itself, because Kysely keys its own state by it.
 */
function guardQueries(client: pg.PoolClient, deadlineMs: number): void {
  // If the connection breaks while checked out, the current or next query rejects. Listen from the
  // start, because a server may end a session in the packet that begins it.
  client.on('error', () => {});
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const guardedQuery = (...args: unknown[]) =>
    endIfSilent(client, deadlineMs, query(...args)).catch(throwTranslated);
  client.query = guardedQuery as typeof client.query;
}

/**
 * Ends the connection if the answer does not arrive in time. The server may still commit what it
 * received. The driver's own `query_timeout` would return the connection to the pool, where the late
 * answer belongs to nobody.
 */
async function endIfSilent<T>(
  client: pg.PoolClient,
  deadlineMs: number,
  answer: Promise<T>,
): Promise<T> {
  let isAnswered = false;
  let isSilent = false;
  const timer = setTimeout(() => {
    // If this process was frozen, the answer may already be here. It is read before this runs.
    setImmediate(() => {
      if (isAnswered) return;
      isSilent = true;
      // Destroys the socket, because a query is active. The query then rejects.
      client.end(() => {});
    });
  }, deadlineMs);
  try {
    return await answer;
  } catch (error) {
    throw isSilent ? unavailable(`no answer in ${deadlineMs / 1_000} seconds`, error) : error;
  } finally {
    isAnswered = true;
    clearTimeout(timer);
  }
}

// 08: connection; 25P03: idle in a transaction; 53: out of memory, disk or connections;
// 57P: shutting down or starting up.
const temporarySqlStates = /^(08...|25P03|53...|57P..)$/;
const queryCancelled = '57014';
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
  if (error instanceof TributaryError) return error;
  const code = codeOf(error);
  if (code === queryCancelled) return new StatementCancelled(error);
  const isTemporary =
    code === undefined
      ? /connection terminated|timeout exceeded|not queryable/i.test(messageOf(error))
      : temporarySqlStates.test(code) || temporarySystemCodes.has(code);
  return isTemporary ? unavailable(messageOf(error), error) : error;
}

function unavailable(reason: string, cause: unknown): TributaryError {
  return new TributaryError('unavailable', `The database is unavailable: ${reason}`, { cause });
}

function throwTranslated(error: unknown): never {
  throw translated(error);
}

/** Runs reads that must agree with each other. */
export function inOneSnapshot<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').execute(work);
}

/** Runs `work` in the transaction that `db` already is, or else in a new one. */
export function atomically<T>(db: Database, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Whether an insert or update failed because of that constraint. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === constraint;
}
