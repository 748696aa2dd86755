import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isUseWorthNoting } from './last-used.ts';
import { partnerPrefix } from './partners.ts';
import type { Sealing } from './sealing.ts';

export interface StorageCredential {
  readonly accessKeyId: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key pair, as S3 clients take it. */
export interface AccessKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export type StorageCredentials = ReturnType<typeof createStorageCredentials>;

export function createStorageCredentials(db: Database, sealing: Sealing) {
  return {
    /** Makes a key pair for the embedded store. The secret is in this answer and nowhere else in clear. */
    async create(partnerId: number): Promise<AccessKeys> {
      const accessKeyId = `TRIB${randomLetters(16)}`;
      const secretAccessKey = randomBytes(30).toString('base64');
      await this.record(partnerId, { accessKeyId, secretAccessKey });
      return { accessKeyId, secretAccessKey };
    },

    /** Keeps a key pair that another store has issued. */
    async record(partnerId: number, keys: AccessKeys): Promise<void> {
      await db
        .insertInto('storage_credential')
        .values({
          access_key_id: keys.accessKeyId,
          partner_id: partnerId,
          sealed_secret: sealing.seal(keys.secretAccessKey, context(keys.accessKeyId)),
        })
        .execute();
    },

    /** What a signature by that key is verified with, and how far it reaches; notes the use. */
    async find(
      accessKeyId: string,
    ): Promise<{ prefix: string; secretAccessKey: string } | undefined> {
      const row = await db
        .selectFrom('storage_credential')
        .select(['partner_id', 'sealed_secret'])
        .where('access_key_id', '=', accessKeyId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (!row) return undefined;
      await db
        .updateTable('storage_credential')
        .set({ last_used_at: sql`now()` })
        .where('access_key_id', '=', accessKeyId)
        .where(isUseWorthNoting)
        .execute();
      return {
        prefix: partnerPrefix(row.partner_id),
        secretAccessKey: sealing.open(row.sealed_secret, context(accessKeyId)),
      };
    },

    /** False if the partner has no such credential. Revoking twice is no error. */
    async revoke(partnerId: number, accessKeyId: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('storage_credential')
        .set({ revoked_at: sql`coalesce(revoked_at, now())` })
        .where('partner_id', '=', partnerId)
        .where('access_key_id', '=', accessKeyId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async list(partnerId: number): Promise<StorageCredential[]> {
      const rows = await db
        .selectFrom('storage_credential')
        .select(['access_key_id', 'created_at', 'last_used_at', 'revoked_at'])
        .where('partner_id', '=', partnerId)
        .orderBy('created_at')
        .orderBy('access_key_id')
        .execute();
      return rows.map((row) => ({
        accessKeyId: row.access_key_id,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
      }));
    },
  };
}

function context(accessKeyId: string): string {
  return `storage credential ${accessKeyId}`;
}

/** Upper-case letters and digits without those that look alike: 5 random bits each. */
function randomLetters(count: number): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from(randomBytes(count), (byte) => alphabet[byte % alphabet.length]).join('');
}
