import { type RawBuilder, sql } from 'kysely';

/**
 * The condition `owner = value`, for a query that is ordered by `owner` and `id` and has a limit. Written
 * so that PostgreSQL reads an index on both columns. With `owner = value` it may read the index on `id`
 * instead, and pass millions of rows of other owners.
 */
export function onlyOf(
  owner: RawBuilder<unknown>,
  value: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql<boolean>`
    (${owner}, ${id}) >= (${value}, 0) and (${owner}, ${id}) < (${value} + 1, 0)
  `;
}
