import { sql } from 'kysely';

/**
 * Whether a use of the table's row should be recorded. Uses are recorded to the minute, and the statement
 * that finds the row also says whether this one is new: most requests need no other statement. A use in
 * the future is from before the clock was set back.
 */
export function isNewUse(table: string) {
  const lastUsedAt = sql.ref(`${table}.last_used_at`);
  return sql<boolean>`
    (${lastUsedAt} is null or ${lastUsedAt} not between now() - interval '1 minute' and now())
  `;
}
