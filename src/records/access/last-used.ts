import { sql } from 'kysely';

/**
 * Uses are recorded to the minute, which saves a write per request of a busy client. In
 * parentheses, because Kysely joins conditions with a bare `and`.
 */
export const shouldRecordUse = sql<boolean>`
  (last_used_at is null or last_used_at < now() - interval '1 minute')
`;
