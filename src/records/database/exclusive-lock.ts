import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { TributaryError } from '../../domain/errors.ts';
import type { Database } from './connection.ts';

/** Somebody else is doing it. */
export const taken = Symbol('taken');

/** How whoever holds a lock shows that it lives. */
export interface Pulse {
  readonly everyMs: number;
  /** Who is not heard of for so long is frozen or cut off, and loses the lock. */
  readonly silenceMs: number;
}

const usualPulse: Pulse = { everyMs: 2_000, silenceMs: 10_000 };

/** What is done while nobody else does it. Its signal is the caller's, and aborts too if the lock is lost. */
export type ExclusiveWork<T> = (signal: AbortSignal) => Promise<T>;

/**
 * Does what only one process at a time may do, unless another is doing it. The lock goes with its
 * connection: at once with a process that dies, and the server ends one that has fallen silent.
 * Whatever is committed under it must be fenced all the same, for who was frozen learns of it late.
 */
export async function unlessTaken<T>(
  db: Database,
  what: string,
  work: ExclusiveWork<T>,
  signal: AbortSignal,
  { everyMs, silenceMs }: Pulse = usualPulse,
): Promise<T | typeof taken> {
  return db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended(current_schema || ' ' || ${what}::text, 0)`;
    // In one statement, so that nobody can freeze between the two.
    const { rows } = await sql<{ limit: string | null }>`
      select case when pg_try_advisory_lock(${lock})
        then set_config('idle_session_timeout', ${String(silenceMs)}, false) end as limit
    `.execute(connection);
    if (rows[0]!.limit === null) return taken;
    const lost = new AbortController();
    const timer = setInterval(() => {
      sql`select 1`.execute(connection).catch((cause) => {
        lost.abort(new TributaryError('unavailable', `The lock on ${what} was lost`, { cause }));
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

/** The same, waiting for its turn. */
export async function whenFree<T>(
  db: Database,
  what: string,
  work: ExclusiveWork<T>,
  signal: AbortSignal,
  pulse?: Pulse,
): Promise<T> {
  // Asked for again and again, for a query that waits cannot be called off.
  for (;;) {
    signal.throwIfAborted();
    const outcome = await unlessTaken(db, what, work, signal, pulse);
    if (outcome !== taken) return outcome;
    await sleep(pollMs, undefined, { signal });
  }
}
