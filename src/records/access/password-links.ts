import { sql } from 'kysely';
import { capTimes } from '../database/cap-times.ts';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { createSecretTokens, isSameHash } from './secret-token.ts';

/** How long a link is valid. */
const linkHours = { invitation: 7 * 24, reset: 24 } as const;
export type LinkPurpose = keyof typeof linkHours;

/** Whose password a link sets. */
export interface LinkedUser {
  readonly userId: number;
  readonly customerId: number;
  readonly email: string;
  readonly expiresAt: Date;
}

export type PasswordLinks = ReturnType<typeof createPasswordLinks>;

const tokens = createSecretTokens('link');

/** One-time links with which a user chooses a password. */
export function createPasswordLinks(db: Database) {
  return {
    /** Replaces the user's earlier link. Returns the token, which is shown only this once. */
    async create(
      userId: number,
      purpose: LinkPurpose,
    ): Promise<{ readonly token: string; readonly expiresAt: Date }> {
      const { token, lookup, secretHash } = tokens.mint();
      const { rows } = await sql<{ expiresAt: Date }>`
        insert into password_link (user_id, lookup, secret_hash, expires_at)
        values (${userId}, ${lookup}, ${secretHash},
          now() + make_interval(hours => ${linkHours[purpose]}))
        on conflict (user_id) do update set lookup = excluded.lookup,
          secret_hash = excluded.secret_hash, created_at = now(), expires_at = excluded.expires_at
        returning expires_at as "expiresAt"
      `.execute(db);
      return { token, expiresAt: rows[0]!.expiresAt };
    },

    /** Undefined if the link is unknown, used or expired, or its user may not sign in. */
    async find(presented: string): Promise<LinkedUser | undefined> {
      const token = tokens.read(presented);
      if (!token) return undefined;
      const { rows } = await sql<LinkedUser & { secretHash: Buffer }>`
        select user_id as "userId", customer_id as "customerId", email, secret_hash as "secretHash",
          expires_at as "expiresAt"
        from password_link join customer_user using (user_id) join customer using (customer_id)
        where lookup = ${token.lookup} and expires_at > now()
          and not is_disabled and disabled_at is null
      `.execute(db);
      const row = rows[0];
      if (!row || !isSameHash(token.secretHash, row.secretHash)) return undefined;
      const { secretHash: _, ...user } = row;
      return user;
    },

    /** Deletes a link that was found. False if another call did so before. */
    async use(presented: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('password_link')
        .where('lookup', '=', tokens.read(presented)?.lookup ?? '')
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Deletes the link of a user whose password was set in another way. */
    async remove(userId: number): Promise<void> {
      await db.deleteFrom('password_link').where('user_id', '=', userId).execute();
    },

    /** Deletes expired links and returns how many. */
    async prune(): Promise<number> {
      await capTimes(db, 'password_link', { expires_at: linkHours.invitation * 60 * 60 });
      return deleteInBatches(db, 'password_link', sql`expires_at < now()`);
    },
  };
}
