import { sql } from 'kysely';
import { codeOf } from '../../domain/errors.ts';
import type { Database } from '../database/connection.ts';

/** A rewrite waits no longer than this for a table, because other statements wait behind it. */
const lockTimeout = '100ms';
const lockNotAvailable = '55P03';

export type ErasedRows = ReturnType<typeof createErasedRows>;

/** The bytes of rows that were deleted or changed, which PostgreSQL leaves in its files. */
export function createErasedRows(db: Database) {
  return {
    /**
     * Rewrites the tables that may quote a device, because PostgreSQL keeps deleted rows in its files.
     * False if a table is in use; then try again.
     */
    async remove(): Promise<boolean> {
      const { rows } = await sql<{ hasMasked: boolean }>`
        select has_masked_values as "hasMasked" from suppression
      `.execute(db);
      const hasMasked = rows[0]!.hasMasked;
      const tables = ['import_reject', ...(hasMasked ? ['import_log', 'audience_file'] : [])];
      try {
        for (const table of tables) await rewrite(table);
      } catch (error) {
        if (codeOf(error) === lockNotAvailable) return false;
        throw error;
      }
      if (hasMasked) await sql`update suppression set has_masked_values = false`.execute(db);
      await deleteLog();
      return true;
    },
  };

  /** Makes the embedded server delete its log of earlier changes. That of another server is not ours. */
  async function deleteLog(): Promise<void> {
    const { rows } = await sql`
      select pg_switch_wal() from pg_roles
      where rolname = current_user and rolsuper and current_setting('wal_recycle', true) = 'off'
    `.execute(db);
    if (rows.length > 0) await sql`checkpoint`.execute(db);
  }

  function rewrite(table: string): Promise<void> {
    return db.connection().execute(async (connection) => {
      await sql`set lock_timeout = ${sql.lit(lockTimeout)}`.execute(connection);
      try {
        await sql`vacuum (full) ${sql.table(table)}`.execute(connection);
      } finally {
        await sql`reset lock_timeout`.execute(connection);
      }
    });
  }
}
