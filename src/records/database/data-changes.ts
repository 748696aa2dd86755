import { sql } from 'kysely';
import type { Database } from './connection.ts';

export type DataChanges = ReturnType<typeof createDataChanges>;

/**
 * Counts the commits that add or drop files. Each inserts a row, so that concurrent commits do not wait
 * for each other as they would for a counter in one row.
 */
export function createDataChanges(db: Database) {
  return {
    /** The number of the newest committed change. Removes the rows of older ones. */
    async latest(): Promise<number> {
      const { rows } = await sql<{ latest: number }>`
        with newest as (select coalesce(max(change_id), 0) as change_id from data_change),
        outdated as (
          delete from data_change using newest where data_change.change_id < newest.change_id
        )
        select change_id as latest from newest
      `.execute(db);
      return rows[0]!.latest;
    },
  };
}
