import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';

/** The response to a request, to be sent again when the request is repeated. */
export interface StoredAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly body: unknown;
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/**
 * Requests that must not take effect twice, by partner, route and idempotency key. Call both steps
 * in the transaction of the effect, so that the effect and the answer are committed together.
 */
export function createIdempotency(db: Database) {
  return {
    /** Whether to carry out the request, or the outcome of an earlier request with the same key. */
    async begin(
      partnerId: number,
      route: string,
      key: string,
      bodyHash: string,
    ): Promise<'new' | 'under_way' | 'other_body' | StoredAnswer> {
      // Held until the transaction ends. A second request gets `under_way` instead of waiting.
      const { rows } = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended(
          jsonb_build_array(current_schema, 'idempotency', ${route}::text, ${key}::text)::text,
          ${partnerId}
        )) as locked
      `.execute(db);
      if (!rows[0]?.locked) return 'under_way';
      // A separate statement, so that it sees what the lock's last holder committed.
      const earlier = await db
        .selectFrom('idempotency_key')
        .select(['body_hash', 'status', 'location', 'body'])
        .where('partner_id', '=', partnerId)
        .where('route', '=', route)
        .where('key', '=', key)
        .executeTakeFirst();
      if (!earlier) return 'new';
      const { body_hash, ...answer } = earlier;
      return body_hash === bodyHash ? answer : 'other_body';
    },

    /** Stores the answer of a request that began as `new`, in the same transaction. */
    async save(
      partnerId: number,
      route: string,
      key: string,
      bodyHash: string,
      answer: StoredAnswer,
    ): Promise<void> {
      await db
        .insertInto('idempotency_key')
        .values({
          partner_id: partnerId,
          route,
          key,
          body_hash: bodyHash,
          status: answer.status,
          location: answer.location,
          body: JSON.stringify(answer.body ?? null),
        })
        .execute();
    },

    /** Deletes older answers and returns how many. */
    async prune(hours: number): Promise<number> {
      return deleteInBatches(
        db,
        'idempotency_key',
        sql`created_at < now() - ${hours} * interval '1 hour'`,
      );
    },
  };
}
