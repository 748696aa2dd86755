import { sql } from 'kysely';
import { limits } from '../../domain/limits.ts';
import { capTimes } from '../database/cap-times.ts';
import { atomically, type Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { createSecretTokens, isSameHash } from './secret-token.ts';

/** How long a link is valid. */
const linkHours = { invitation: 7 * 24, reset: 24 } as const;
export type LinkPurpose = keyof typeof linkHours;

/** A link that was just created. Its token is shown only this once. */
export interface NewLink {
  readonly token: string;
  readonly purpose: LinkPurpose;
  readonly expiresAt: Date;
}

/** Whose password a link sets. */
export interface LinkedUser {
  readonly userId: number;
  readonly customerId: number;
  readonly email: string;
  readonly expiresAt: Date;
}

export type PasswordLinks = ReturnType<typeof createPasswordLinks>;

const tokens = createSecretTokens('link');

/**
 * One-time links with which a user chooses a password. A user may have a limited number of them. Each is valid
 * until one of them is used, or until it expires.
 */
export function createPasswordLinks(db: Database) {
  return {
    /** For the operator: if the user has too many links, the new one replaces the oldest. */
    create(userId: number, purpose: LinkPurpose): Promise<NewLink> {
      return atomically(db, async (tx) => {
        await lockUser(tx, userId);
        const link = await insert(tx, userId, purpose);
        await sql`
          delete from password_link where lookup in (
            select lookup from password_link where user_id = ${userId} and expires_at > now()
            order by created_at desc offset ${limits.passwordLinks.most}
          )
        `.execute(tx);
        return link;
      });
    },

    /**
     * For anybody who names the user. Undefined if the user has too many valid links, or is disabled. So a
     * stranger can neither end a link nor have the user sent more e-mails in a day than valid links.
     */
    request(userId: number): Promise<NewLink | undefined> {
      return atomically(db, async (tx) => {
        if ((await lockUser(tx, userId))?.is_disabled !== false) return undefined;
        const { rows } = await sql<{ count: number }>`
          select count(*)::integer as count from password_link
          where user_id = ${userId} and expires_at > now()
        `.execute(tx);
        if (rows[0]!.count >= limits.passwordLinks.most) return undefined;
        return insert(tx, userId, 'reset');
      });
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
    async end(presented: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('password_link')
        .where('lookup', '=', tokens.read(presented)?.lookup ?? '')
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Deletes all links of a user. */
    async endAll(userId: number): Promise<void> {
      await db.deleteFrom('password_link').where('user_id', '=', userId).execute();
    },

    /** Deletes expired links and returns how many. */
    async prune(): Promise<number> {
      await capTimes(db, 'password_link', { expires_at: linkHours.invitation * 60 * 60 });
      return deleteInBatches(db, 'password_link', sql`expires_at < now()`);
    },
  };
}

/** Makes concurrent links of the user, and a change of the user, wait for each other. */
async function lockUser(tx: Database, userId: number) {
  return tx
    .selectFrom('customer_user')
    .select('is_disabled')
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

async function insert(tx: Database, userId: number, purpose: LinkPurpose): Promise<NewLink> {
  const { token, lookup, secretHash } = tokens.mint();
  const { rows } = await sql<{ expiresAt: Date }>`
    insert into password_link (user_id, lookup, secret_hash, created_at, expires_at)
    values (${userId}, ${lookup}, ${secretHash}, clock_timestamp(),
      now() + make_interval(hours => ${linkHours[purpose]}))
    returning expires_at as "expiresAt"
  `.execute(tx);
  return { token, purpose, expiresAt: rows[0]!.expiresAt };
}
