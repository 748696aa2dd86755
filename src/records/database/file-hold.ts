import { sql } from 'kysely';
import type { Database } from './connection.ts';
import { lockKey } from './exclusive-lock.ts';

/** The lock under which a backup copies files. */
export const fileHold = 'file hold';

/**
 * Whether a backup copies files now, so that none may be deleted from disk. Ask after the commit that
 * removed the files from the records: a backup that begins later no longer finds them there.
 */
export async function filesAreHeld(db: Database): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select not pg_try_advisory_xact_lock_shared(${lockKey(fileHold)}) as held
  `.execute(db);
  return rows[0]!.held;
}
