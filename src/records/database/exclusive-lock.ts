import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { TributaryError } from '../../domain/errors.ts';
import type { Database } from './connection.ts';

/** Another process holds the lock. */
export const lockTaken = Symbol('taken');

/** How the holder of a lock shows that it is alive. */
export interface LockHeartbeat {
  readonly everyMs: number;
  /** A holder without a heartbeat for this long is frozen or cut off, and loses the lock. */
  readonly timeoutMs: number;
}

const defaultHeartbeat: LockHeartbeat = { everyMs: 2_000, timeoutMs: 10_000 };

/** Work done under a lock. Its signal also aborts when the lock is lost. */
export type ExclusiveWork<T> = (signal: AbortSignal) => Promise<T>;

/** The number by which PostgreSQL knows the lock. */
export function lockKey(lockName: string) {
  return sql`hashtextextended(current_schema || ' ' || ${lockName}::text, 0)`;
}

/**
 * Runs work that only one process at a time may do; returns `lockTaken` if another process does it.
 * The lock belongs to a connection: it ends with a process that dies, and the server ends a session
 * without heartbeats. Commits under it must still be fenced, because a frozen holder notices late.
 */
export async function tryExclusively<T>(
  db: Database,
  lockName: string,
  work: ExclusiveWork<T>,
  signal: AbortSignal,
  { everyMs, timeoutMs }: LockHeartbeat = defaultHeartbeat,
): Promise<T | typeof lockTaken> {
  return db.connection().execute(async (connection) => {
    const lock = lockKey(lockName);
    // In one statement, so that the process cannot freeze between lock and timeout.
    const { rows } = await sql<{ limit: string | null }>`
      select case when pg_try_advisory_lock(${lock})
        then set_config('idle_session_timeout', ${String(timeoutMs)}, false) end as limit
    `.execute(connection);
    if (rows[0]!.limit === null) return lockTaken;
    const lost = new AbortController();
    const timer = setInterval(() => {
      sql`select 1`.execute(connection).catch((cause) => {
        lost.abort(
          new TributaryError('unavailable', `The lock on ${lockName} was lost`, { cause }),
        );
      });
    }, everyMs);
    try {
      return await work(AbortSignal.any([signal, lost.signal]));
    } finally {
      clearInterval(timer);
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
      await sql`reset idle_session_timeout`.execute(connection);
    }
  });
}

const pollMs = 50;

/** The same, but waits until the lock is free. */
export async function runExclusively<T>(
  db: Database,
  lockName: string,
  work: ExclusiveWork<T>,
  signal: AbortSignal,
  heartbeat?: LockHeartbeat,
): Promise<T> {
  // Polls, because a query that waits for the lock could not be aborted.
  for (;;) {
    signal.throwIfAborted();
    const outcome = await tryExclusively(db, lockName, work, signal, heartbeat);
    if (outcome !== lockTaken) return outcome;
    await sleep(pollMs, undefined, { signal });
  }
}
