import { type RawBuilder, sql } from 'kysely';
import type { Database } from './connection.ts';
import type { Schema } from './schema.ts';

/**
 * Sets times that are further ahead than possible to the latest possible one: the clock was set back
 * after they were stored. `mostAhead` has the seconds that each column may be ahead of now; 0 for a
 * time that has passed. So a grace period that counts from such a time ends as usual. Rows that are
 * locked are left for the next call. Not for times that users see or that protect data for long:
 * perhaps the clock is wrong now.
 */
export async function capTimes<Table extends keyof Schema>(
  db: Database,
  table: Table,
  mostAhead: Partial<Record<keyof Schema[Table] & string, number>>,
  among: RawBuilder<unknown> = sql`true`,
): Promise<void> {
  const caps = Object.entries<number | undefined>(mostAhead).map(([name, seconds]) => ({
    column: sql.ref(name),
    latest: sql`statement_timestamp() + ${seconds} * interval '1 second'`,
  }));
  const changes = caps.map(
    ({ column, latest }) =>
      sql`${column} = case when ${column} > ${latest} then ${latest} else ${column} end`,
  );
  const areAhead = caps.map(({ column, latest }) => sql`${column} > ${latest}`);
  await sql`
    update ${sql.table(table)} set ${sql.join(changes)}
    where ctid = any(array(
      select ctid from ${sql.table(table)}
      where ${among} and (${sql.join(areAhead, sql` or `)})
      for no key update skip locked
    ))
  `.execute(db);
}
