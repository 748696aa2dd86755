import { sql } from 'kysely';

/**
 * Uses are recorded to the minute, which saves a write per request of a busy client. In
 * parentheses, because Kysely joins conditions with a bare `and`. A use in the future is from before the
 * clock was set back.
 */
export const shouldRecordUse = sql<boolean>`
  (last_used_at is null or last_used_at not between now() - interval '1 minute' and now())
`;
