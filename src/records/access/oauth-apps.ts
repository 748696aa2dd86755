import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { displayName } from '../../domain/display-name.ts';
import { limits } from '../../domain/limits.ts';
import { tokenPrefix } from '../../domain/token-kinds.ts';
import { atomically, type Database } from '../database/connection.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';

/** A partner's app that acts for users. */
export interface OauthApp {
  readonly clientId: string;
  readonly partnerId: number;
  readonly name: string;
  /** Null for a public app, which cannot keep a secret. */
  readonly secretHash: Buffer | null;
  readonly redirectUris: readonly string[];
  readonly isDisabled: boolean;
  readonly createdAt: Date;
}

export type OauthAppKind = 'confidential' | 'public';

export interface NewOauthApp {
  readonly name: string;
  readonly kind: OauthAppKind;
  readonly redirectUris: readonly string[];
}

export type OauthAppChange = Partial<Pick<OauthApp, 'name' | 'redirectUris' | 'isDisabled'>>;

export type OauthApps = ReturnType<typeof createOauthApps>;

export function createOauthApps(db: Database) {
  return {
    /** Returns the client secret, which is shown only this once. */
    async create(
      partnerId: number,
      { name, kind, redirectUris }: NewOauthApp,
    ): Promise<{ clientId: string; clientSecret: string | null }> {
      const clientId = `app_${randomBytes(16).toString('hex')}`;
      const clientSecret = kind === 'confidential' ? mintSecret() : null;
      await atomically(db, async (tx) => {
        await refuseBeyondLimit(tx, {
          records: 'OAuth apps',
          most: limits.oauthAppsPerPartner.most,
          ownerId: partnerId,
          present: sql`oauth_app where partner_id = ${partnerId}`,
          advice: 'Remove apps that are not used.',
        });
        await tx
          .insertInto('oauth_app')
          .values({
            client_id: clientId,
            partner_id: partnerId,
            name: displayName(name),
            secret_hash: clientSecret === null ? null : hashClientSecret(clientSecret),
            redirect_uris: [...redirectUris],
          })
          .execute();
      });
      return { clientId, clientSecret };
    },

    async find(clientId: string): Promise<OauthApp | undefined> {
      if (!isClientId(clientId)) return undefined;
      const row = await db
        .selectFrom('oauth_app')
        .selectAll()
        .where('client_id', '=', clientId)
        .executeTakeFirst();
      return row && app(row);
    },

    /** The app, if neither it nor its partner is disabled. */
    async findActive(clientId: string): Promise<OauthApp | undefined> {
      if (!isClientId(clientId)) return undefined;
      const row = await db
        .selectFrom('oauth_app')
        .innerJoin('partner', 'partner.partner_id', 'oauth_app.partner_id')
        .selectAll('oauth_app')
        .where('client_id', '=', clientId)
        .where('is_disabled', '=', false)
        .where('disabled_at', 'is', null)
        .executeTakeFirst();
      return row && app(row);
    },

    async list(partnerId: number): Promise<OauthApp[]> {
      const rows = await db
        .selectFrom('oauth_app')
        .selectAll()
        .where('partner_id', '=', partnerId)
        .orderBy('created_at')
        .orderBy('client_id')
        .execute();
      return rows.map(app);
    },

    async change(clientId: string, change: OauthAppChange): Promise<void> {
      const { name, redirectUris, isDisabled } = change;
      await db
        .updateTable('oauth_app')
        .set({
          ...(name === undefined ? {} : { name: displayName(name) }),
          ...(redirectUris === undefined ? {} : { redirect_uris: [...redirectUris] }),
          ...(isDisabled === undefined ? {} : { is_disabled: isDisabled }),
        })
        .where('client_id', '=', clientId)
        .execute();
    },

    /** Returns the new secret. The previous one is refused from now on. */
    async rotateSecret(clientId: string): Promise<string> {
      const clientSecret = mintSecret();
      await db
        .updateTable('oauth_app')
        .set({ secret_hash: hashClientSecret(clientSecret) })
        .where('client_id', '=', clientId)
        .where('secret_hash', 'is not', null)
        .execute();
      return clientSecret;
    },

    /** Its grants and tokens are deleted with it. */
    async remove(clientId: string): Promise<void> {
      await db.deleteFrom('oauth_app').where('client_id', '=', clientId).execute();
    },
  };
}

/** Checked before a query, because PostgreSQL rejects some texts, such as one with U+0000. */
export function isClientId(text: string): boolean {
  return /^app_[0-9a-f]{32}$/.test(text);
}

function mintSecret(): string {
  return `${tokenPrefix('client')}${randomBytes(32).toString('base64url')}`;
}

/** The secret has 256 random bits, so a plain hash cannot be reversed by guessing. */
export function hashClientSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function app(row: {
  client_id: string;
  partner_id: number;
  name: string;
  secret_hash: Buffer | null;
  redirect_uris: string[];
  is_disabled: boolean;
  created_at: Date;
}): OauthApp {
  return {
    clientId: row.client_id,
    partnerId: row.partner_id,
    name: row.name,
    secretHash: row.secret_hash,
    redirectUris: row.redirect_uris,
    isDisabled: row.is_disabled,
    createdAt: row.created_at,
  };
}
