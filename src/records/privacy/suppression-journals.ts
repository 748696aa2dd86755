import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';

export type SuppressionJournals = ReturnType<typeof createSuppressionJournals>;

/** How far each journal of suppressions is applied to this database. */
export function createSuppressionJournals(db: Database) {
  return {
    /** How many bytes are applied, by journal. */
    async applied(): Promise<Map<string, number>> {
      const rows = await db.selectFrom('suppression_journal').selectAll().execute();
      return new Map(rows.map(({ journal_id, bytes }) => [journal_id, bytes]));
    },

    /** Call it in the transaction that applies the journal up to there. */
    async record(position: { readonly journalId: string; readonly bytes: number }): Promise<void> {
      const { journalId, bytes } = position;
      await sql`
        insert into suppression_journal (journal_id, bytes) values (${journalId}, ${bytes})
        on conflict (journal_id) do update
        set bytes = greatest(suppression_journal.bytes, excluded.bytes)
      `.execute(db);
    },
  };
}
