import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Somebody else is doing it. */
export const taken = Symbol('taken');

/**
 * Does what only one process at a time may do, unless another is doing it. The lock goes with its
 * connection, so a process that dies lets go of it.
 */
export async function unlessTaken<T>(
  db: Database,
  what: string,
  work: () => Promise<T>,
): Promise<T | typeof taken> {
  return db.connection().execute(async (connection) => {
    const lock = sql`hashtextextended(current_schema || ' ' || ${what}::text, 0)`;
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_lock(${lock}) as free
    `.execute(connection);
    if (!rows[0]!.free) return taken;
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${lock})`.execute(connection);
    }
  });
}

const pollMs = 50;

/** The same, waiting for its turn. */
export async function whenFree<T>(
  db: Database,
  what: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  // Asked for again and again, for a query that waits cannot be called off.
  for (;;) {
    signal.throwIfAborted();
    const outcome = await unlessTaken(db, what, work);
    if (outcome !== taken) return outcome;
    await sleep(pollMs, undefined, { signal });
  }
}
