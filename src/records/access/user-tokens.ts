import { sql } from 'kysely';
import { accessDisabled } from '../../domain/access-disabled.ts';
import { limits } from '../../domain/limits.ts';
import { firstPage, type Page } from '../../domain/page.ts';
import { atomically, type Database } from '../database/connection.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';
import { isNewUse } from './last-used.ts';
import { createSecretTokens, isSameHash } from './secret-token.ts';

/** A token with which one partner acts for one customer. */
export interface UserToken {
  readonly userTokenId: number;
  readonly customerId: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A customer for whom a partner may act. */
export interface TokenCustomer {
  readonly customerId: number;
  readonly name: string;
}

export type UserTokens = ReturnType<typeof createUserTokens>;

const tokens = createSecretTokens('user');

export function createUserTokens(db: Database) {
  return {
    /** Returns the token, which is shown only this once. It never expires if `expiresIn` is null. */
    async create(
      partnerId: number,
      customerId: number,
      expiresIn: number | null,
    ): Promise<{ userToken: string; expiresAt: Date | null }> {
      const { token, lookup, secretHash } = tokens.mint();
      return atomically(db, async (tx) => {
        await refuseBeyondLimit(tx, {
          records: 'user tokens',
          most: limits.userTokensPerPartner.most,
          ownerId: partnerId,
          present: sql`user_token where partner_id = ${partnerId} and revoked_at is null
            and (expires_at is null or expires_at > now())`,
          advice: 'Revoke tokens that are not used.',
        });
        const { expires_at } = await tx
          .insertInto('user_token')
          .values({
            partner_id: partnerId,
            customer_id: customerId,
            lookup,
            secret_hash: secretHash,
            expires_at: sql`now() + make_interval(secs => ${expiresIn})`,
          })
          .returning('expires_at')
          .executeTakeFirstOrThrow();
        return { userToken: token, expiresAt: expires_at };
      });
    },

    /**
     * The customer of a valid token of the partner; records the use. Throws `forbidden` if the customer
     * is disabled.
     */
    async authenticate(
      partnerId: number,
      presented: string,
    ): Promise<{ customerId: number } | undefined> {
      const token = tokens.read(presented);
      if (!token) return undefined;
      const row = await db
        .selectFrom('user_token')
        .innerJoin('customer', 'customer.customer_id', 'user_token.customer_id')
        .select(['user_token_id', 'customer.customer_id', 'secret_hash', 'disabled_at'])
        .select(isNewUse('user_token').as('isNewUse'))
        .where('lookup', '=', token.lookup)
        .where('partner_id', '=', partnerId)
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`(expires_at is null or expires_at > now())`)
        .executeTakeFirst();
      if (!row || !isSameHash(token.secretHash, row.secret_hash)) return undefined;
      if (row.disabled_at) throw accessDisabled();
      if (row.isNewUse) {
        await db
          .updateTable('user_token')
          .set({ last_used_at: sql`now()` })
          .where('user_token_id', '=', row.user_token_id)
          .execute();
      }
      return { customerId: row.customer_id };
    },

    /** The customers for whom the partner has a valid token, by name. */
    async customers(partnerId: number): Promise<TokenCustomer[]> {
      const { rows } = await sql<TokenCustomer>`
        select customer_id as "customerId", name
        from customer
        where disabled_at is null and customer_id in (
          select customer_id from user_token
          where partner_id = ${partnerId} and revoked_at is null
            and (expires_at is null or expires_at > now())
        )
        order by name, customer_id
      `.execute(db);
      return rows;
    },

    /** False if the partner has no such token. Revoking twice is allowed. */
    async revoke(partnerId: number, userTokenId: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('user_token')
        .set({ revoked_at: sql`coalesce(revoked_at, now())` })
        .where('partner_id', '=', partnerId)
        .where('user_token_id', '=', userTokenId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Ordered by id. */
    async list(partnerId: number, { after, limit }: Page = firstPage): Promise<UserToken[]> {
      const rows = await db
        .selectFrom('user_token')
        .selectAll()
        .where('partner_id', '=', partnerId)
        .where('user_token_id', '>', after ?? 0)
        .orderBy('user_token_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        userTokenId: row.user_token_id,
        customerId: row.customer_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
      }));
    },
  };
}
