import { sql } from 'kysely';

/**
 * To the minute is enough, and spares a write for each of a busy client's requests. In parentheses,
 * for conditions are joined by a bare `and`.
 */
export const isUseWorthNoting = sql<boolean>`
  (last_used_at is null or last_used_at < now() - interval '1 minute')
`;
