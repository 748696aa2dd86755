import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import type { OauthTokenModel } from '../../records/oauth-state.ts';
import type { Records } from '../../records/records.ts';
import { notFound } from '../wire.ts';
import { clientMetadata } from './client-metadata.ts';

/** Where the library keeps its state: in our records, shared by every process. */
export function createStateAdapter(records: Records): AdapterFactory {
  const { oauthApps, oauthGrants, oauthState } = records;

  const clients: Adapter = {
    ...keepsNothing,
    async find(clientId) {
      const app = await oauthApps.find(clientId);
      return app && !app.isDisabled ? clientMetadata(app) : undefined;
    },
  };

  const grants: Adapter = {
    ...keepsNothing,
    async upsert(id, payload, seconds) {
      const isKept = await oauthGrants.save(id, {
        clientId: given(payload.clientId),
        userId: Number(given(payload.accountId)),
        payload,
        seconds: given(seconds),
      });
      if (!isKept) throw notFound('app, or no such user');
    },
    async find(id) {
      const grant = await oauthGrants.find(id);
      // It lives longer with each token that is issued under it, which its payload does not know.
      return grant && { ...grant.payload, exp: Math.floor(grant.expiresAt.getTime() / 1000) };
    },
    destroy: (id) => oauthGrants.remove(id),
  };

  const interactions: Adapter = {
    ...keepsNothing,
    upsert: (id, payload, seconds) => oauthState.saveInteraction(id, payload, given(seconds)),
    find: async (id) => (await oauthState.find('Interaction', id))?.payload,
    destroy: (id) => oauthState.remove('Interaction', id),
  };

  function tokens(model: OauthTokenModel): Adapter {
    return {
      ...keepsNothing,
      async upsert(id, payload, seconds) {
        const isKept = await oauthState.saveToken(model, id, {
          grantId: given(payload.grantId),
          payload,
          seconds: given(seconds),
        });
        if (!isKept) throw new errors.InvalidGrant('the grant was revoked meanwhile');
      },
      async find(id) {
        const kept = await oauthState.find(model, id);
        return kept && withUse(kept.payload, kept.consumedAt);
      },
      async consume(id) {
        if (!(await oauthState.consume(model, id))) throw new errors.InvalidGrant('already used');
      },
      destroy: (id) => oauthState.remove(model, id),
      // What is issued under a grant goes with it.
      revokeByGrantId: (grantId) => oauthGrants.remove(grantId),
    };
  }

  return (model) => {
    switch (model) {
      case 'Client':
        return clients;
      case 'Grant':
        return grants;
      case 'Interaction':
        return interactions;
      case 'AuthorizationCode':
      case 'AccessToken':
      case 'RefreshToken':
        return tokens(model);
      // Who is signed in is known by the console's session, and by nothing of the library's.
      case 'Session':
        return keepsNothing;
      default:
        throw new Error(`no ${model} is ever kept`);
    }
  };
}

const keepsNothing: Adapter = {
  async upsert() {},
  async find() {},
  async findByUserCode() {},
  async findByUid() {},
  async consume() {},
  async destroy() {},
  async revokeByGrantId() {},
};

function withUse(payload: AdapterPayload, consumedAt: Date | null): AdapterPayload {
  return consumedAt ? { ...payload, consumed: Math.floor(consumedAt.getTime() / 1000) } : payload;
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the library left out what it always gives');
  return value;
}
