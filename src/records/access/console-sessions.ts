import { type RawBuilder, sql } from 'kysely';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import { capTimes } from '../database/cap-times.ts';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { validAdminTokens } from './admin-tokens.ts';
import { isNewUse } from './last-used.ts';
import { createSecretTokens, isSameHash } from './secret-token.ts';

/** The user or API key that a session belongs to, or any operator. */
export type SessionOwner =
  | { readonly kind: 'customer'; readonly userId: number }
  | { readonly kind: 'partner'; readonly apiKeyId: number }
  | { readonly kind: 'operator' };

/** The same while signing in. The user's password must still be the one that was checked. */
export type NewSessionOwner =
  | { readonly kind: 'customer'; readonly userId: number; readonly passwordHash: string }
  | { readonly kind: 'partner'; readonly apiKeyId: number }
  | { readonly kind: 'operator'; readonly adminTokenHash: Buffer };

export interface Browser {
  readonly remoteAddress: string;
  readonly userAgent: string;
}

interface SessionFacts extends Browser {
  readonly sessionId: number;
  readonly createdAt: Date;
  /** Precise to the minute. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** Who is signed in. `name` is a user's email or a partner's name. */
type SignedIn =
  | {
      readonly kind: 'customer';
      readonly name: string;
      readonly userId: number;
      readonly customerId: number;
      readonly customerName: string;
    }
  | {
      readonly kind: 'partner';
      readonly name: string;
      readonly apiKeyId: number;
      readonly partnerId: number;
    }
  | { readonly kind: 'operator' };

export type ConsoleSession = SessionFacts & SignedIn;

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;

/** A working day. */
const sessionHours = 12;

const tokens = createSecretTokens('session');

/** The operator's sessions are valid as long as the admin token that opened them. */
export function createConsoleSessions(db: Database) {
  return {
    /**
     * Returns the token, which is shown only this once. Undefined if the user was disabled or the
     * password changed during the sign-in.
     */
    async create(
      by: NewSessionOwner,
      { remoteAddress, userAgent }: Browser,
    ): Promise<string | undefined> {
      const { token, lookup, secretHash } = tokens.mint();
      const { user_id, api_key_id, admin_token_hash } = ownerColumns(by);
      // For a user, `for share` waits for a concurrent change and then sees its result.
      const { numAffectedRows } = await sql`
        insert into console_session (lookup, secret_hash, user_id, api_key_id, admin_token_hash,
          remote_address, user_agent, expires_at)
        select ${lookup}, ${secretHash}, ${user_id}::bigint, ${api_key_id}::bigint,
          ${admin_token_hash}::bytea, ${remoteAddress}, ${userAgent},
          now() + make_interval(hours => ${sessionHours})
        ${by.kind === 'customer' ? sql`from (${unchangedUser(by)}) as unchanged` : sql``}
      `.execute(db);
      if (numAffectedRows === 0n) return undefined;
      await db
        .deleteFrom('console_session')
        .where(
          'session_id',
          'in',
          db
            .selectFrom('console_session')
            .select('session_id')
            .where(ownedBy(by))
            .orderBy('session_id', 'desc')
            .offset(limits.sessionsPerOwner.most),
        )
        .execute();
      return token;
    },

    /** Finds a valid session, comparing its token in constant time, and records the use. */
    async authenticate(
      presented: string,
      configuredToken: Buffer,
    ): Promise<ConsoleSession | undefined> {
      const token = tokens.read(presented);
      if (!token) return undefined;
      const { rows } = await sql<ConsoleSession & { secretHash: Buffer; isNewUse: boolean }>`
        select ${columns}, console_session.secret_hash as "secretHash",
          ${isNewUse('console_session')} as "isNewUse"
        from ${validSessions(configuredToken)}
          and console_session.lookup = ${token.lookup}
      `.execute(db);
      const row = rows[0];
      if (!row || !isSameHash(token.secretHash, row.secretHash)) return undefined;
      if (row.isNewUse) {
        await db
          .updateTable('console_session')
          .set({ last_used_at: sql`now()` })
          .where('session_id', '=', row.sessionId)
          .execute();
      }
      const { secretHash: _, isNewUse: __, ...session } = row;
      return session;
    },

    /** Valid sessions of one owner, or of all owners, newest first. */
    async list(
      configuredToken: Buffer,
      by: SessionOwner | null,
      { after, limit }: Page,
    ): Promise<ConsoleSession[]> {
      const { rows } = await sql<ConsoleSession>`
        select ${columns} from ${validSessions(configuredToken)} and ${ownedBy(by)}
          and (${after}::bigint is null or session_id < ${after})
        order by session_id desc
        limit ${limit}
      `.execute(db);
      return rows;
    },

    /** False if there is no such session, or it has another owner. */
    async end(sessionId: number, by: SessionOwner | null): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('console_session')
        .where('session_id', '=', sessionId)
        .where(ownedBy(by))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    /** Ends all sessions of an owner, except perhaps one. */
    async endAll(by: SessionOwner, except: number | null): Promise<void> {
      await db
        .deleteFrom('console_session')
        .where(ownedBy(by))
        .where('session_id', 'is distinct from', except)
        .execute();
    },

    /** Deletes expired sessions and returns how many. */
    async prune(): Promise<number> {
      await capTimes(db, 'console_session', { expires_at: sessionHours * 60 * 60 });
      return deleteInBatches(db, 'console_session', sql`expires_at < now()`);
    },
  };
}

function unchangedUser({ userId, passwordHash }: NewSessionOwner & { kind: 'customer' }) {
  return sql`
    select from customer_user
    where user_id = ${userId} and password_hash = ${passwordHash} and not is_disabled
    for share
  `;
}

function ownerColumns(by: NewSessionOwner) {
  return {
    user_id: by.kind === 'customer' ? by.userId : null,
    api_key_id: by.kind === 'partner' ? by.apiKeyId : null,
    admin_token_hash: by.kind === 'operator' ? by.adminTokenHash : null,
  };
}

function ownedBy(by: SessionOwner | null): RawBuilder<boolean> {
  switch (by?.kind) {
    case 'customer':
      return sql<boolean>`console_session.user_id = ${by.userId}`;
    case 'partner':
      return sql<boolean>`console_session.api_key_id = ${by.apiKeyId}`;
    case 'operator':
      return sql<boolean>`console_session.admin_token_hash is not null`;
    default:
      return sql<boolean>`true`;
  }
}

const columns = sql`
  session_id as "sessionId",
  case when user_id is not null then 'customer' when api_key_id is not null then 'partner'
    else 'operator' end as kind,
  coalesce(email, partner.name) as name, user_id as "userId",
  customer_user.customer_id as "customerId", customer.name as "customerName",
  api_key_id as "apiKeyId", api_key.partner_id as "partnerId",
  remote_address as "remoteAddress", user_agent as "userAgent",
  console_session.created_at as "createdAt",
  console_session.last_used_at as "lastUsedAt", expires_at as "expiresAt"
`;

/** Ends with a `where` clause, so that more conditions can follow. */
function validSessions(configuredToken: Buffer) {
  return sql`
    console_session
    left join customer_user using (user_id)
    left join customer using (customer_id)
    left join api_key using (api_key_id)
    left join partner on partner.partner_id = api_key.partner_id
    where expires_at > now()
      and not coalesce(is_disabled, false)
      and revoked_at is null
      and customer.disabled_at is null and partner.disabled_at is null
      and (admin_token_hash is null or admin_token_hash in ${validAdminTokens(configuredToken)})
  `;
}
