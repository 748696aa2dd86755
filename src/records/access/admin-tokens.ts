import { type RawBuilder, sql } from 'kysely';
import { atomically, type Database } from '../database/connection.ts';

interface Rotation {
  /** The hash of the token that the process was configured with. */
  readonly configured: Buffer;
  readonly newHash: Buffer;
  readonly overlapSeconds: number;
  /** The console session that asked for it, which goes on with the new token. */
  readonly sessionId: number | null;
}

export type AdminTokens = ReturnType<typeof createAdminTokens>;

/** The operator's token and those that replaced it. */
export function createAdminTokens(db: Database) {
  return {
    /** Whether a process with the configured token accepts the other one. */
    async isValid(configured: Buffer, presented: Buffer): Promise<boolean> {
      const { rows } = await sql`
        select where ${presented}::bytea in ${validAdminTokens(configured)}
      `.execute(db);
      return rows.length > 0;
    },

    /**
     * Replaces the current token. All earlier ones end after the overlap, if they would not end before.
     * Ends all sessions of operators but one. Returns when the old token ends.
     */
    async rotate({ configured, newHash, overlapSeconds, sessionId }: Rotation): Promise<Date> {
      return atomically(db, async (tx) => {
        // One at a time, so that each replaces the result of the one before.
        await sql`lock table admin_token_rotation in share row exclusive mode`.execute(tx);
        const until = sql`now() + make_interval(secs => ${overlapSeconds})`;
        await sql`
          update admin_token_rotation set old_valid_until = least(old_valid_until, ${until})
        `.execute(tx);
        const { rows } = await sql<{ validUntil: Date }>`
          insert into admin_token_rotation (old_hash, new_hash, old_valid_until)
          select hash, ${newHash}::bytea, ${until} from (${successors(configured)}) as successor
          where not exists (select from admin_token_rotation where old_hash = hash)
          returning old_valid_until as "validUntil"
        `.execute(tx);
        await sql`
          delete from console_session
          where admin_token_hash is not null and session_id is distinct from ${sessionId}
        `.execute(tx);
        await sql`
          update console_session set admin_token_hash = ${newHash}
          where session_id = ${sessionId} and admin_token_hash is not null
        `.execute(tx);
        return rows[0]!.validUntil;
      });
    },
  };
}

/** The configured token and those that replaced it, one after the other. */
function successors(configured: Buffer): RawBuilder<unknown> {
  return sql`
    with recursive successor (hash) as (
      select ${configured}::bytea
      union select new_hash from admin_token_rotation join successor on old_hash = hash
    )
    select hash from successor
  `;
}

/**
 * The hashes of the tokens that a process with this one accepts: the last that replaced it, and those
 * before whose overlap has not ended. As a list for `in`.
 */
export function validAdminTokens(configured: Buffer): RawBuilder<unknown> {
  return sql`(
    with recursive valid (hash, until) as (
      select hash, 'infinity'::timestamptz from (${successors(configured)}) as successor
      where not exists (select from admin_token_rotation where old_hash = hash)
      union
      select old_hash, old_valid_until from admin_token_rotation join valid on new_hash = hash
    )
    select hash from valid where until > now()
  )`;
}
