import { sql } from 'kysely';
import type { Database } from './database/connection.ts';

/** Deleted data that is still stored. */
export interface PendingDeletions {
  /** Files, or batches of rows, that hold devices of dropped runs. */
  readonly files: number;
  /** Removed partners and customers whose data is not deleted yet. */
  readonly removals: number;
  /** How long ago the oldest of all was deleted. The time limit counts from then. */
  readonly oldestSeconds: number;
}

export async function readPendingDeletions(db: Database): Promise<PendingDeletions> {
  const { rows } = await sql<PendingDeletions>`
    with dropped as (
      select count(*) as files, min(dropped_at) as oldest from run_file
      where dropped_at is not null
    ), removed as (
      select count(*) as removals, min(removed_at) as oldest from (
        select removed_at from partner where removed_at is not null and deleted_at is null
        union all select removed_at from customer where removed_at is not null
      ) as pending
    )
    select files, removals, greatest(0, coalesce(
      extract(epoch from clock_timestamp() - least(dropped.oldest, removed.oldest)), 0
    ))::float8 as "oldestSeconds"
    from dropped, removed
  `.execute(db);
  return rows[0]!;
}
