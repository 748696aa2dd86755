import { type RawBuilder, sql } from 'kysely';
import { accessDisabled } from '../../domain/access-disabled.ts';
import type { Page } from '../../domain/page.ts';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import type { Sealing } from '../database/sealing.ts';
import { isNewUse } from './last-used.ts';
import { isClientId } from './oauth-apps.ts';
import { hashOauthId, type OauthPayload, openPayload, sealPayload } from './oauth-payload.ts';

/** A user's permission for an app to act for them. */
export interface OauthGrant {
  readonly grantId: number;
  readonly clientId: string;
  readonly appName: string;
  readonly partnerId: number;
  readonly partnerName: string;
  readonly userId: number;
  readonly email: string;
  readonly customerId: number;
  readonly customerName: string;
  readonly createdAt: Date;
  /** Precise to the minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date;
}

/** An app that acts for a user, with one or several grants. */
export interface ConnectedApp {
  /** The latest of its grants. */
  readonly grantId: number;
  readonly clientId: string;
  readonly appName: string;
  readonly partnerName: string;
  readonly grants: number;
  readonly allowedAt: Date;
  /** Precise to the minute. */
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date;
}

export interface GrantFilter {
  readonly partnerId?: number | undefined;
  readonly customerId?: number | undefined;
  readonly userId?: number | undefined;
}

interface NewGrant {
  readonly clientId: string;
  readonly userId: number;
  readonly payload: OauthPayload;
  readonly seconds: number;
}

const tokenShape = /^[\w-]{43}$/;

export type OauthGrants = ReturnType<typeof createOauthGrants>;

export function createOauthGrants(db: Database, sealing: Sealing) {
  return {
    /** Saves nothing and returns false if the app or the user is disabled or does not exist. */
    async save(id: string, { clientId, userId, payload, seconds }: NewGrant): Promise<boolean> {
      const idHash = hashOauthId(id);
      // The locks make a concurrent removal of either wait. It then also removes the grant.
      const { numAffectedRows } = await sql`
        with parties as (
          select client_id, user_id
          from oauth_app join partner using (partner_id),
            customer_user join customer using (customer_id)
          where client_id = ${clientId} and not oauth_app.is_disabled
            and user_id = ${userId} and not customer_user.is_disabled
            and partner.disabled_at is null and customer.disabled_at is null
          for key share of oauth_app, customer_user
        )
        insert into oauth_grant (id_hash, client_id, user_id, sealed_payload, expires_at)
        select ${idHash}, client_id, user_id, ${sealPayload(sealing, 'Grant', idHash, payload)},
          now() + make_interval(secs => ${seconds})
        from parties
      `.execute(db);
      return numAffectedRows === 1n;
    },

    async find(id: string): Promise<{ payload: OauthPayload; expiresAt: Date } | undefined> {
      const idHash = hashOauthId(id);
      const row = await db
        .selectFrom('oauth_grant')
        .select(['sealed_payload', 'expires_at'])
        .where('id_hash', '=', idHash)
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst();
      return (
        row && {
          payload: openPayload(sealing, 'Grant', idHash, row.sealed_payload),
          expiresAt: row.expires_at,
        }
      );
    },

    /** Everything issued under it is deleted in the same statement. */
    async remove(id: string): Promise<void> {
      await db.deleteFrom('oauth_grant').where('id_hash', '=', hashOauthId(id)).execute();
    },

    /** The same, by the id in `list`. False if there is no such grant. */
    async revoke(grantId: number): Promise<boolean> {
      const { numAffectedRows } = await sql`
        delete from oauth_grant where grant_id = ${grantId} and expires_at > now()
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /** Removes all grants of a user to an app. False if there are none. */
    async revokeApp(clientId: string, userId: number): Promise<boolean> {
      if (!isClientId(clientId)) return false;
      const { numAffectedRows = 0n } = await sql`
        delete from oauth_grant
        where client_id = ${clientId} and user_id = ${userId} and expires_at > now()
      `.execute(db);
      return numAffectedRows > 0n;
    },

    /** The apps that act for a user, the most recently allowed first. */
    async appsOf(userId: number, { after, limit }: Page): Promise<ConnectedApp[]> {
      const { rows } = await sql<ConnectedApp>`
        select max(grant_id) as "grantId", client_id as "clientId", oauth_app.name as "appName", partner.name as "partnerName",
          count(*) as grants, max(oauth_grant.created_at) as "allowedAt",
          max(last_used_at) as "lastUsedAt", max(expires_at) as "expiresAt"
        from oauth_grant join oauth_app using (client_id) join partner using (partner_id)
        where user_id = ${userId} and expires_at > now()
        group by client_id, oauth_app.name, partner.name
        having ${after === null ? sql`true` : sql`max(grant_id) < ${after}`}
        order by max(grant_id) desc
        limit ${limit}
      `.execute(db);
      return rows;
    },

    /**
     * The customer of a valid access token of one of the partner's apps; records the use. The token
     * is looked up by its hash, so the timing reveals nothing about other tokens. Throws `forbidden` if
     * the customer is disabled.
     */
    async authenticate(
      partnerId: number,
      presented: string,
    ): Promise<{ customerId: number; userId: number; clientId: string } | undefined> {
      if (!tokenShape.test(presented)) return undefined;
      const { rows } = await sql<{
        customerId: number;
        userId: number;
        clientId: string;
        grantId: number;
        isNewUse: boolean;
        isDisabled: boolean;
      }>`
        select customer_id as "customerId", user_id as "userId", client_id as "clientId",
          grant_id as "grantId", ${isNewUse('oauth_grant')} as "isNewUse", customer.disabled_at is not null as "isDisabled"
        from oauth_state join oauth_grant using (grant_id) join oauth_app using (client_id)
          join customer_user using (user_id) join customer using (customer_id)
        where oauth_state.id_hash = ${hashOauthId(presented)} and model = 'AccessToken'
          and oauth_state.expires_at > now() and oauth_grant.expires_at > now()
          and partner_id = ${partnerId} and not oauth_app.is_disabled
          and not customer_user.is_disabled
      `.execute(db);
      const row = rows[0];
      if (!row) return undefined;
      if (row.isDisabled) throw accessDisabled();
      if (row.isNewUse) {
        await db
          .updateTable('oauth_grant')
          .set({ last_used_at: sql`now()` })
          .where('grant_id', '=', row.grantId)
          .execute();
      }
      return { customerId: row.customerId, userId: row.userId, clientId: row.clientId };
    },

    /** Valid grants, newest first. */
    async list(filter: GrantFilter, { after, limit }: Page): Promise<OauthGrant[]> {
      const { rows } = await sql<OauthGrant>`
        select grant_id as "grantId", client_id as "clientId", oauth_app.name as "appName",
          partner_id as "partnerId", partner.name as "partnerName", user_id as "userId", email,
          customer_id as "customerId", customer.name as "customerName",
          oauth_grant.created_at as "createdAt", last_used_at as "lastUsedAt",
          expires_at as "expiresAt"
        from oauth_grant join oauth_app using (client_id) join partner using (partner_id)
          join customer_user using (user_id) join customer using (customer_id)
        where expires_at > now()
          and ${matches('partner_id', filter.partnerId)}
          and ${matches('customer_id', filter.customerId)}
          and ${matches('user_id', filter.userId)}
          and ${after === null ? sql`true` : sql`grant_id < ${after}`}
        order by grant_id desc
        limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Deletes expired grants and returns how many. */
    async prune(): Promise<number> {
      return deleteInBatches(db, 'oauth_grant', sql`expires_at <= now()`);
    },
  };
}

function matches(column: string, value: number | undefined): RawBuilder<boolean> {
  return value === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ${value}`;
}
