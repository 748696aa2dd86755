import { type RawBuilder, sql } from 'kysely';
import type { Database } from './connection.ts';
import type { Schema } from './schema.ts';

/** Deleting this many rows takes far less time than any statement timeout. */
export const rowsPerDelete = 10_000;

/**
 * Deletes all rows that meet the condition and returns how many. Each statement deletes a limited
 * number of rows, so that no statement is cancelled for taking too long. Outside of a transaction,
 * each one commits by itself.
 */
export async function deleteInBatches(
  db: Database,
  table: keyof Schema,
  condition: RawBuilder<unknown>,
): Promise<number> {
  for (let deleted = 0; ; ) {
    // A row that is changed meanwhile gets another ctid and is not deleted.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${condition} limit ${rowsPerDelete}
      ))
    `.execute(db);
    deleted += Number(numAffectedRows);
    if (numAffectedRows < rowsPerDelete) return deleted;
  }
}
