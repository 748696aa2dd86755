import { sql } from 'kysely';
import { accessDisabled } from '../../domain/access-disabled.ts';
import { displayName } from '../../domain/display-name.ts';
import { limits } from '../../domain/limits.ts';
import { firstPage, type Page } from '../../domain/page.ts';
import { tokenPrefix } from '../../domain/token-kinds.ts';
import { atomically, type Database } from '../database/connection.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';
import { isNewUse } from './last-used.ts';
import { createSecretTokens, isSameHash } from './secret-token.ts';

export interface ApiKey {
  readonly apiKeyId: number;
  /** How the key begins, up to its secret. */
  readonly prefix: string;
  readonly label: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

const tokens = createSecretTokens('key');

export function createApiKeys(db: Database) {
  return {
    /** Returns the key, which is shown only this once. */
    async create(partnerId: number, label: string): Promise<{ apiKeyId: number; apiKey: string }> {
      const { token, lookup, secretHash } = tokens.mint();
      return atomically(db, async (tx) => {
        await refuseBeyondLimit(tx, {
          records: 'API keys',
          most: limits.apiKeysPerPartner.most,
          ownerId: partnerId,
          present: sql`api_key where partner_id = ${partnerId} and revoked_at is null`,
          advice: 'Revoke keys that are not used.',
        });
        const { api_key_id } = await tx
          .insertInto('api_key')
          .values({
            partner_id: partnerId,
            label: displayName(label),
            lookup,
            secret_hash: secretHash,
          })
          .returning('api_key_id')
          .executeTakeFirstOrThrow();
        return { apiKeyId: api_key_id, apiKey: token };
      });
    },

    /**
     * Identifies the key and its partner, comparing in constant time, and records the use. Throws
     * `forbidden` if the partner is disabled.
     */
    async authenticate(
      presented: string,
    ): Promise<{ apiKeyId: number; partnerId: number } | undefined> {
      const token = tokens.read(presented);
      if (!token) return undefined;
      const row = await db
        .selectFrom('api_key')
        .innerJoin('partner', 'partner.partner_id', 'api_key.partner_id')
        .select(['api_key_id', 'api_key.partner_id', 'secret_hash', 'disabled_at'])
        .select(isNewUse('api_key').as('isNewUse'))
        .where('lookup', '=', token.lookup)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (!row || !isSameHash(token.secretHash, row.secret_hash)) return undefined;
      if (row.disabled_at) throw accessDisabled();
      if (row.isNewUse) {
        await db
          .updateTable('api_key')
          .set({ last_used_at: sql`now()` })
          .where('api_key_id', '=', row.api_key_id)
          .execute();
      }
      return { apiKeyId: row.api_key_id, partnerId: row.partner_id };
    },

    /** False if the partner has no such key. Revoking twice is allowed. */
    async revoke(partnerId: number, apiKeyId: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('api_key')
        .set({ revoked_at: sql`coalesce(revoked_at, now())` })
        .where('partner_id', '=', partnerId)
        .where('api_key_id', '=', apiKeyId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Ordered by id. The first page has all that are not revoked, if only those are wanted. */
    async list(
      partnerId: number,
      { after, limit }: Page = firstPage,
      { isOnlyValid = false } = {},
    ): Promise<ApiKey[]> {
      const rows = await db
        .selectFrom('api_key')
        .select(['api_key_id', 'lookup', 'label', 'created_at', 'last_used_at', 'revoked_at'])
        .where('partner_id', '=', partnerId)
        .where('api_key_id', '>', after ?? 0)
        .$if(isOnlyValid, (query) => query.where('revoked_at', 'is', null))
        .orderBy('api_key_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        apiKeyId: row.api_key_id,
        prefix: tokenPrefix('key') + row.lookup,
        label: row.label,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
      }));
    },
  };
}
