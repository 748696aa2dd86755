import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { limits } from '../../domain/limits.ts';
import { firstPage, type Page } from '../../domain/page.ts';
import { capTimes } from '../database/cap-times.ts';
import { atomically, type Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';
import type { Sealing } from '../database/sealing.ts';
import { isNewUse } from './last-used.ts';
import { partnerPrefix } from './partners.ts';

export interface StorageCredential {
  readonly accessKeyId: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key pair for S3 clients. */
export interface AccessKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A credential to verify signatures with. */
interface UsableCredential {
  readonly partnerId: number;
  /** The API key that asked for upload links. Null: the partner's own credentials. */
  readonly apiKeyId: number | null;
  readonly prefix: string;
  readonly secretAccessKey: string;
  readonly isDisabled: boolean;
}

/** Who asks for an upload link. */
interface LinkOwner {
  readonly partnerId: number;
  readonly apiKeyId: number;
}

/** How much our clock and the database's may differ. */
const clockSkewSeconds = 60;
const linkKeysMinutes = 60;

export type StorageCredentials = ReturnType<typeof createStorageCredentials>;

export function createStorageCredentials(db: Database, sealing: Sealing) {
  return {
    /** Creates a key pair for the embedded store. Its secret is shown only this once. */
    async create(partnerId: number): Promise<AccessKeys> {
      const keys = mint();
      await atomically(db, async (tx) => {
        await refuseMore(tx, partnerId);
        await tx.insertInto('storage_credential').values(sealed(partnerId, keys)).execute();
      });
      return keys;
    },

    /** Stores a key pair issued by another store. False if its id is already stored. */
    async record(partnerId: number, keys: AccessKeys): Promise<boolean> {
      return atomically(db, async (tx) => {
        await refuseMore(tx, partnerId);
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('storage_credential')
          .values(sealed(partnerId, keys))
          .onConflict((conflict) => conflict.column('access_key_id').doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 1n;
      });
    },

    /**
     * The service's own key pair for signing upload links under the partner's prefix, valid for at
     * least `seconds` unless the API key is revoked before. It is shared by many links, and its secret
     * never leaves the service.
     */
    async forLinks({ partnerId, apiKeyId }: LinkOwner, seconds: number): Promise<AccessKeys> {
      const present = await findForLinks(db, apiKeyId, seconds);
      if (present) return present;
      return atomically(db, async (tx) => {
        // A concurrent call waits here and then finds the new key pair. Not a full lock, so that
        // rows which reference the partner can still be added.
        await tx
          .selectFrom('partner')
          .select('partner_id')
          .where('partner_id', '=', partnerId)
          .forNoKeyUpdate()
          .execute();
        const created = await findForLinks(tx, apiKeyId, seconds);
        if (created) return created;
        const keys = mint();
        const expires_at = sql<Date>`now() + make_interval(mins => ${linkKeysMinutes})`;
        await tx
          .insertInto('storage_credential')
          .values({ ...sealed(partnerId, keys), api_key_id: apiKeyId, expires_at })
          .execute();
        return keys;
      });
    },

    /** The secret to verify signatures with, and the prefix it gives access to; records the use. */
    async find(accessKeyId: string): Promise<UsableCredential | undefined> {
      const row = await db
        .selectFrom('storage_credential')
        .innerJoin('partner', 'partner.partner_id', 'storage_credential.partner_id')
        .select(['partner.partner_id', 'api_key_id', 'sealed_secret', 'disabled_at'])
        .select(isNewUse('storage_credential').as('isNewUse'))
        .where('access_key_id', '=', accessKeyId)
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`(expires_at is null or expires_at > now())`)
        .where(
          sql<boolean>`not exists (
            select from api_key
            where api_key.api_key_id = storage_credential.api_key_id and api_key.revoked_at is not null
          )`,
        )
        .executeTakeFirst();
      if (!row) return undefined;
      if (row.isNewUse) {
        await db
          .updateTable('storage_credential')
          .set({ last_used_at: sql`now()` })
          .where('access_key_id', '=', accessKeyId)
          .execute();
      }
      return {
        partnerId: row.partner_id,
        apiKeyId: row.api_key_id,
        prefix: partnerPrefix(row.partner_id),
        secretAccessKey: opened(accessKeyId, row.sealed_secret),
        isDisabled: row.disabled_at !== null,
      };
    },

    /** False if the partner was issued no such credential. Revoking twice is allowed. */
    async revoke(partnerId: number, accessKeyId: string): Promise<boolean> {
      // PostgreSQL rejects some texts, such as one with U+0000.
      if (!/^[\x21-\x7e]{1,128}$/.test(accessKeyId)) return false;
      const { numUpdatedRows } = await db
        .updateTable('storage_credential')
        .set({ revoked_at: sql`coalesce(revoked_at, now())` })
        .where('partner_id', '=', partnerId)
        .where('access_key_id', '=', accessKeyId)
        .where('expires_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /**
     * The credentials issued to the partner, without the service's own, the oldest first. The first page has
     * all that are not revoked, if only those are wanted.
     */
    async list(
      partnerId: number,
      { after, limit }: Page<string> = firstPage,
      { isOnlyValid = false } = {},
    ): Promise<StorageCredential[]> {
      const rows = await db
        .selectFrom('storage_credential')
        .select(['access_key_id', 'created_at', 'last_used_at', 'revoked_at'])
        .where('partner_id', '=', partnerId)
        .where('expires_at', 'is', null)
        .$if(isOnlyValid, (query) => query.where('revoked_at', 'is', null))
        .where(
          after === null
            ? sql<boolean>`true`
            : sql<boolean>`(created_at, access_key_id) > (
                select created_at, access_key_id from storage_credential
                where access_key_id = ${after} and partner_id = ${partnerId}
              )`,
        )
        .orderBy('created_at')
        .orderBy('access_key_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        accessKeyId: row.access_key_id,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
      }));
    },

    /** Deletes expired credentials and returns how many. */
    async prune(): Promise<number> {
      await capTimes(db, 'storage_credential', { expires_at: linkKeysMinutes * 60 });
      return deleteInBatches(db, 'storage_credential', sql`expires_at <= now()`);
    },
  };

  async function findForLinks(
    tx: Database,
    apiKeyId: number,
    seconds: number,
  ): Promise<AccessKeys | undefined> {
    const atLeast = seconds + clockSkewSeconds;
    const row = await tx
      .selectFrom('storage_credential')
      .select(['access_key_id', 'sealed_secret'])
      .where('api_key_id', '=', apiKeyId)
      .where('expires_at', '>', sql<Date>`now() + make_interval(secs => ${atLeast})`)
      .orderBy('expires_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return (
      row && {
        accessKeyId: row.access_key_id,
        secretAccessKey: opened(row.access_key_id, row.sealed_secret),
      }
    );
  }

  function sealed(partnerId: number, { accessKeyId, secretAccessKey }: AccessKeys) {
    return {
      access_key_id: accessKeyId,
      partner_id: partnerId,
      sealed_secret: sealing.seal(secretAccessKey, storageContext(accessKeyId)),
    };
  }

  function opened(accessKeyId: string, sealedSecret: Buffer): string {
    return sealing.open(sealedSecret, storageContext(accessKeyId));
  }
}

function mint(): AccessKeys {
  return {
    accessKeyId: `TRIB${randomLetters(16)}`,
    secretAccessKey: randomBytes(30).toString('base64'),
  };
}

/** What a secret is bound to when it is encrypted. */
export function storageContext(accessKeyId: string): string {
  return `storage credential ${accessKeyId}`;
}

/** Upper-case letters and digits without those that look alike: 5 random bits each. */
function randomLetters(count: number): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from(randomBytes(count), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** The service's own credentials expire, and do not count. */
function refuseMore(tx: Database, partnerId: number): Promise<void> {
  return refuseBeyondLimit(tx, {
    records: 'storage credentials',
    most: limits.storageCredentialsPerPartner.most,
    ownerId: partnerId,
    present: sql`storage_credential
      where partner_id = ${partnerId} and revoked_at is null and expires_at is null`,
    advice: 'Revoke credentials that are not used.',
  });
}
