import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { atomically, type Database } from '../database/connection.ts';
import type { Sealing } from '../database/sealing.ts';

/** What the authorization server signs with. */
export interface OauthKey {
  readonly kid: string;
  readonly privateKey: JsonWebKey;
  readonly cookieKey: string;
}

export interface ListedOauthKey {
  readonly kid: string;
  readonly createdAt: Date;
  /** Null: not replaced yet. */
  readonly retiredAt: Date | null;
}

/**
 * A new key verifies at once and signs only when it is that old, so that every process, looking for
 * new keys more often than that, knows it before it meets a signature by it.
 */
export const oauthKeyIdleSeconds = 30;

/** An hour is the longest that anything signed is valid; the minutes are for whoever signed late. */
const keptMinutes = 65;

export type OauthKeys = ReturnType<typeof createOauthKeys>;

export function createOauthKeys(db: Database, sealing: Sealing) {
  return {
    /** All that verify; the first of them signs. There is always one. */
    async current(): Promise<OauthKey[]> {
      const present = await inForce(db);
      if (present.length > 0) return present;
      return atomically(db, async (tx) => {
        await takeTurns(tx);
        const justMade = await inForce(tx);
        if (justMade.length > 0) return justMade;
        await insertNew(tx);
        return inForce(tx);
      });
    },

    /** Puts a new key in the place of the present one: its id. */
    async rotate(): Promise<string> {
      return atomically(db, async (tx) => {
        await takeTurns(tx);
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
        .where(stillVerifies)
        .orderBy('created_at', 'desc')
        .execute();
      return rows.map((row) => ({
        kid: row.kid,
        createdAt: row.created_at,
        retiredAt: row.retired_at,
      }));
    },

    /** Forgets those of which nothing signed is valid any more: how many. */
    async prune(): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('oauth_key')
        .where(sql<boolean>`not ${stillVerifies}`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };

  async function inForce(tx: Database): Promise<OauthKey[]> {
    const { rows } = await sql<{ kid: string; sealed: Buffer }>`
      select kid, sealed_keys as sealed from oauth_key where ${stillVerifies}
      order by created_at > ${idleSince}, abs(extract(epoch from created_at - ${idleSince}))
    `.execute(tx);
    return rows.map(({ kid, sealed }) => ({
      kid,
      ...(JSON.parse(sealing.open(sealed, contextOf(kid))) as Omit<OauthKey, 'kid'>),
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
      .values({ kid, sealed_keys: sealing.seal(JSON.stringify(keys), contextOf(kid)) })
      .execute();
    return kid;
  }
}

/** Of the keys before it the newest comes first, of those after it the oldest. */
const idleSince = sql<Date>`(now() - make_interval(secs => ${oauthKeyIdleSeconds}))`;

const stillVerifies = sql<boolean>`
  (retired_at is null or retired_at > now() - make_interval(mins => ${keptMinutes}))
`;

/** Whoever makes a key does so alone; processes that start together end up with one. */
async function takeTurns(tx: Database): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(current_schema || ' oauth keys', 0))
  `.execute(tx);
}

function contextOf(kid: string): string {
  return `oauth key ${kid}`;
}
