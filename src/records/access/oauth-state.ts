import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import type { OauthStateModel } from '../database/schema.ts';
import type { Sealing } from '../database/sealing.ts';
import { hashOauthId, type OauthPayload, openPayload, sealPayload } from './oauth-payload.ts';

/** What is issued under a grant. */
export type OauthTokenModel = Exclude<OauthStateModel, 'Interaction'>;

/** A code, a token or a request under way, as the authorization server put it. */
export interface KeptOauthState {
  readonly payload: OauthPayload;
  readonly consumedAt: Date | null;
}

export type OauthState = ReturnType<typeof createOauthState>;

/** Ids, which are the codes and tokens themselves, are nowhere kept in clear. */
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

    /** Puts down what its user has decided. False if it was decided before, or is gone. */
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
     * False if the grant is gone, and then nothing is kept. The update locks the grant's row, so
     * either its removal finds this token, or this token finds it removed.
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

    /** Undefined if it is unknown or expired; one that was used is found. */
    async find(model: OauthStateModel, id: string): Promise<KeptOauthState | undefined> {
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
     * Uses up a code or a refresh token. Of any number that try at once, in whichever processes, one
     * gets true. Whoever comes second holds a copy, and whose copy cannot be told: the whole grant goes.
     */
    async consume(model: OauthTokenModel, id: string): Promise<boolean> {
      const idHash = hashOauthId(id);
      // The grant first, as whoever revokes it does: neither waits for the other then for ever.
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

    /** Forgets what has expired: how much. */
    async prune(): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('oauth_state')
        .where('expires_at', '<=', sql<Date>`now()`)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
