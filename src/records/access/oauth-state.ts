import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import type { OauthStateModel } from '../database/schema.ts';
import type { Sealing } from '../database/sealing.ts';
import { hashOauthId, type OauthPayload, openPayload, sealPayload } from './oauth-payload.ts';

/** What is issued under a grant. */
export type OauthTokenModel = Exclude<OauthStateModel, 'Interaction'>;

/** A code, a token or a pending authorization request, as the authorization server stored it. */
export interface StoredOauthState {
  readonly payload: OauthPayload;
  readonly consumedAt: Date | null;
}

export type OauthState = ReturnType<typeof createOauthState>;

/** The ids are the codes and tokens themselves, so only their hashes are stored. */
export function createOauthState(db: Database, sealing: Sealing) {
  return {
    async saveInteraction(id: string, payload: OauthPayload, seconds: number): Promise<void> {
      const idHash = hashOauthId(id);
      await sql`
        insert into oauth_state (id_hash, model, sealed_payload, expires_at)
        values (
          ${idHash}, 'Interaction', ${sealPayload(sealing, 'Interaction', idHash, payload)},
          now() + make_interval(secs => ${seconds})
        )
      `.execute(db);
    },

    /** Records the user's decision. False if it was decided before, has expired or does not exist. */
    async decideInteraction(id: string, payload: OauthPayload): Promise<boolean> {
      const idHash = hashOauthId(id);
      const { numUpdatedRows } = await db
        .updateTable('oauth_state')
        .set({
          sealed_payload: sealPayload(sealing, 'Interaction', idHash, payload),
          consumed_at: sql`now()`,
        })
        .where('id_hash', '=', idHash)
        .where('model', '=', 'Interaction')
        .where('consumed_at', 'is', null)
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    /**
     * Saves nothing and returns false if the grant does not exist. The update locks the grant's
     * row, so a concurrent removal either deletes this token or makes this return false.
     */
    async saveToken(
      model: OauthTokenModel,
      id: string,
      token: { readonly grantId: string; readonly payload: OauthPayload; readonly seconds: number },
    ): Promise<boolean> {
      const idHash = hashOauthId(id);
      const { numAffectedRows } = await sql`
        with granted as (
          update oauth_grant
          set expires_at = greatest(expires_at, now() + make_interval(secs => ${token.seconds}))
          where id_hash = ${hashOauthId(token.grantId)}
          returning grant_id
        )
        insert into oauth_state (id_hash, model, grant_id, sealed_payload, expires_at)
        select ${idHash}, ${model}, grant_id, ${sealPayload(sealing, model, idHash, token.payload)},
          now() + make_interval(secs => ${token.seconds})
        from granted
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /** Undefined if unknown or expired. Also finds used ones. */
    async find(model: OauthStateModel, id: string): Promise<StoredOauthState | undefined> {
      const idHash = hashOauthId(id);
      const row = await db
        .selectFrom('oauth_state')
        .select(['sealed_payload', 'consumed_at'])
        .where('id_hash', '=', idHash)
        .where('model', '=', model)
        .where('expires_at', '>', sql<Date>`now()`)
        .executeTakeFirst();
      return (
        row && {
          payload: openPayload(sealing, model, idHash, row.sealed_payload),
          consumedAt: row.consumed_at,
        }
      );
    },

    /**
     * Uses up a code or refresh token. Of concurrent calls, in any process, only one returns true.
     * A second use means that the token was copied, and nobody knows by whom, so it deletes the
     * whole grant.
     */
    async consume(model: OauthTokenModel, id: string): Promise<boolean> {
      const idHash = hashOauthId(id);
      // Locks the grant first, as a revocation does, so the two cannot deadlock.
      await sql`
        select 1 from oauth_grant join oauth_state using (grant_id)
        where oauth_state.id_hash = ${idHash} and model = ${model}
        for update of oauth_grant
      `.execute(db);
      const { numUpdatedRows } = await db
        .updateTable('oauth_state')
        .set({ consumed_at: sql`now()` })
        .where('id_hash', '=', idHash)
        .where('model', '=', model)
        .where('consumed_at', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 1n) return true;
      await sql`
        delete from oauth_grant using oauth_state
        where oauth_state.id_hash = ${idHash} and model = ${model}
          and oauth_grant.grant_id = oauth_state.grant_id
      `.execute(db);
      return false;
    },

    async remove(model: OauthStateModel, id: string): Promise<void> {
      await db
        .deleteFrom('oauth_state')
        .where('id_hash', '=', hashOauthId(id))
        .where('model', '=', model)
        .execute();
    },

    /** Deletes expired entries and returns how many. */
    async prune(): Promise<number> {
      return deleteInBatches(db, 'oauth_state', sql`expires_at <= now()`);
    },
  };
}
