import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { capTimes } from '../database/cap-times.ts';
import { atomically, type Database } from '../database/connection.ts';
import type { Sealing } from '../database/sealing.ts';

/** A key that the authorization server signs with. */
export interface OauthKey {
  readonly kid: string;
  readonly privateKey: JsonWebKey;
  readonly cookieKey: string;
}

export interface ListedOauthKey {
  readonly kid: string;
  readonly createdAt: Date;
  /** Null until it is replaced. */
  readonly retiredAt: Date | null;
}

/**
 * A new key verifies at once but signs only when it is this old. Every process reloads its keys
 * more often than that, so it knows the key before the first signature by it.
 */
export const oauthKeyActivationSeconds = 30;

/** Signatures are valid for at most an hour. Some processes still sign with a replaced key for a moment. */
const verifyMinutes = 65;

export type OauthKeys = ReturnType<typeof createOauthKeys>;

export function createOauthKeys(db: Database, sealing: Sealing) {
  return {
    /** All keys that verify; the first one signs. Creates a key if there is none. */
    async current(): Promise<OauthKey[]> {
      const present = await validKeys(db);
      if (present.length > 0) return present;
      return atomically(db, async (tx) => {
        await lockKeys(tx);
        const created = await validKeys(tx);
        if (created.length > 0) return created;
        await insertNew(tx);
        return validKeys(tx);
      });
    },

    /** Replaces the current key, and returns the id of the new one. */
    async rotate(): Promise<string> {
      return atomically(db, async (tx) => {
        await lockKeys(tx);
        await tx
          .updateTable('oauth_key')
          .set({ retired_at: sql`now()` })
          .where('retired_at', 'is', null)
          .execute();
        return insertNew(tx);
      });
    },

    /** Newest first, without the keys themselves. */
    async list(): Promise<ListedOauthKey[]> {
      const rows = await db
        .selectFrom('oauth_key')
        .select(['kid', 'created_at', 'retired_at'])
        .where(isOauthKeyValid)
        .orderBy('created_at', 'desc')
        .execute();
      return rows.map((row) => ({
        kid: row.kid,
        createdAt: row.created_at,
        retiredAt: row.retired_at,
      }));
    },

    /** Deletes keys whose signatures have all expired, and returns how many. */
    async prune(): Promise<number> {
      await capTimes(db, 'oauth_key', { created_at: 0, retired_at: 0 });
      const { numDeletedRows } = await db
        .deleteFrom('oauth_key')
        .where(sql<boolean>`not ${isOauthKeyValid}`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };

  /** Active keys first, newest first. Then the keys that are not active yet, oldest first. */
  async function validKeys(tx: Database): Promise<OauthKey[]> {
    const { rows } = await sql<{ kid: string; sealed: Buffer }>`
      select kid, sealed_keys as sealed from oauth_key where ${isOauthKeyValid}
      order by created_at > ${activeSince}, abs(extract(epoch from created_at - ${activeSince}))
    `.execute(tx);
    return rows.map(({ kid, sealed }) => ({
      kid,
      ...(JSON.parse(sealing.open(sealed, oauthKeyContext(kid))) as Omit<OauthKey, 'kid'>),
    }));
  }

  async function insertNew(tx: Database): Promise<string> {
    const kid = randomBytes(12).toString('base64url');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = {
      privateKey: privateKey.export({ format: 'jwk' }),
      cookieKey: randomBytes(32).toString('base64url'),
    };
    await tx
      .insertInto('oauth_key')
      .values({ kid, sealed_keys: sealing.seal(JSON.stringify(keys), oauthKeyContext(kid)) })
      .execute();
    return kid;
  }
}

/** Keys created before this time are active. The newest active key signs. */
const activeSince = sql<Date>`(now() - make_interval(secs => ${oauthKeyActivationSeconds}))`;

/** Whether a key still verifies signatures. */
export const isOauthKeyValid = sql<boolean>`
  (retired_at is null or retired_at > now() - make_interval(mins => ${verifyMinutes}))
`;

/** Processes create keys one at a time, so those that start together share one key. */
async function lockKeys(tx: Database): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(current_schema || ' oauth keys', 0))
  `.execute(tx);
}

/** What a key is bound to when it is encrypted. */
export function oauthKeyContext(kid: string): string {
  return `oauth key ${kid}`;
}
