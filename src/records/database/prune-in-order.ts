import { type RawBuilder, sql } from 'kysely';
import type { Database } from './connection.ts';
import { rowsPerDelete } from './delete-in-batches.ts';
import type { Schema } from './schema.ts';

interface PrunedRows {
  /** Only these rows are read. An index on them and the id must exist. */
  readonly among?: RawBuilder<unknown>;
  readonly storedAt: RawBuilder<unknown>;
  readonly since: RawBuilder<unknown>;
  /** Of the old rows, those that are deleted. */
  readonly isExpired: RawBuilder<unknown>;
}

/**
 * Deletes the expired rows of a table whose ids grow with time, and returns how many. Reads the ids
 * from the lowest, a batch at a time, up to the first batch without an old row. So it reads expired
 * rows and the kept ones before them, but not the rest of the table. A batch that was stored while the
 * clock was ahead does not stop it.
 */
export async function pruneInOrder(
  db: Database,
  table: keyof Schema,
  id: RawBuilder<unknown>,
  { among = sql`true`, storedAt, since, isExpired }: PrunedRows,
): Promise<number> {
  let pruned = 0;
  for (let last = 0; ; ) {
    const { rows } = await sql<{ last: number | null; expired: number; goOn: boolean | null }>`
      with page as (
        select ${id} as id, ${storedAt} < ${since} and ${isExpired} as is_expired,
          ${storedAt} not between ${since} and now() as is_old_or_ahead
        from ${sql.table(table)} where ${id} > ${last} and ${among} order by ${id} limit ${rowsPerDelete}
      ), gone as (
        delete from ${sql.table(table)} using page where ${id} = page.id and is_expired
      )
      select max(id) as last, count(*) filter (where is_expired) as expired,
        bool_or(is_old_or_ahead) as "goOn"
      from page
    `.execute(db);
    const page = rows[0]!;
    pruned += page.expired;
    if (page.last === null || !page.goOn) return pruned;
    last = page.last;
  }
}
