import { type RawBuilder, sql } from 'kysely';
import { TributaryError } from '../../domain/errors.ts';
import type { Database } from './connection.ts';

interface RecordLimit {
  /** The records, in the plural. They are also the name of the lock. */
  readonly records: string;
  readonly most: number;
  /** How many the transaction is about to create. */
  readonly added?: number;
  /** Whose records are counted; 0 for those of the installation. */
  readonly ownerId: number;
  /** The records that count, as a from clause. */
  readonly present: RawBuilder<unknown>;
  /** What to do about it. */
  readonly advice: string;
}

/**
 * Throws if the owner would have more records than the limit. Holds a lock until the transaction ends,
 * so that concurrent creations cannot exceed the limit together.
 */
export async function refuseBeyondLimit(
  tx: Database,
  { records, most, added = 1, ownerId, present, advice }: RecordLimit,
): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(current_schema || ' limit of ' || ${records}, ${ownerId}))
  `.execute(tx);
  const { rows } = await sql<{ counted: number }>`
    select count(*) as counted from (select from ${present} limit ${most}) as present
  `.execute(tx);
  if (rows[0]!.counted + added > most) throw limitReached(records, most, advice);
}

export function limitReached(records: string, most: number, advice: string): TributaryError {
  return new TributaryError(
    'limit_reached',
    `The limit of ${most.toLocaleString('en-US')} ${records} is reached. ${advice}`,
  );
}
