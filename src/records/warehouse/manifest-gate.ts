import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { lockKey } from '../database/exclusive-lock.ts';

const gate = lockKey('manifest');

/** The copy that brought the device sets to their place, as an expression. */
export const currentCopy = sql<
  number | null
>`(select copy_id from place where content = 'device sets')`;

/**
 * Call it in a transaction before it changes the manifest. The device sets are then in the same place until
 * the transaction ends.
 */
export async function enterManifest(db: Database): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${gate})`.execute(db);
}

/**
 * Waits until no other transaction changes the manifest. Until this one ends, none begins to. Changes wait
 * for that time, so this waits for a limited time only.
 */
export async function closeManifest(db: Database, withinMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(withinMs)}, true)`.execute(db);
  await sql`select pg_advisory_xact_lock(${gate})`.execute(db);
  await sql`select set_config('lock_timeout', '0', true)`.execute(db);
}
