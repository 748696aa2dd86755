import {
  type Adapter,
  type AdapterFactory,
  type AdapterPayload,
  errors,
  Provider,
} from 'oidc-provider';
import type { Logger } from 'pino';
import type { OauthTokenModel } from '../../records/access/oauth-state.ts';
import { notFound } from '../server/wire.ts';
import { clientMetadata } from './client-metadata.ts';
import type { JointRecords } from './joint-records.ts';
import { oauthPaths } from './paths.ts';

/** Where the library keeps its state: in our records, shared by every process. */
export function createStateAdapter({ current }: JointRecords, log: Logger): AdapterFactory {
  const clients: Adapter = {
    ...keepsNothing,
    async find(clientId) {
      const app = await current().oauthApps.find(clientId);
      return app && !app.isDisabled ? clientMetadata(app) : undefined;
    },
  };

  const grants: Adapter = {
    ...keepsNothing,
    async upsert(id, payload, seconds) {
      const isKept = await current().oauthGrants.save(id, {
        clientId: given(payload.clientId),
        userId: Number(given(payload.accountId)),
        payload,
        seconds: given(seconds),
      });
      if (!isKept) throw notFound('app, or no such user');
    },
    async find(id) {
      const grant = await current().oauthGrants.find(id);
      // It lives longer with each token that is issued under it, which its payload does not know.
      return grant && { ...grant.payload, exp: Math.floor(grant.expiresAt.getTime() / 1000) };
    },
    destroy: (id) => current().oauthGrants.remove(id),
  };

  const interactions: Adapter = {
    ...keepsNothing,
    async upsert(id, payload, seconds) {
      const { oauthState } = current();
      if (payload.result === undefined) {
        await oauthState.saveInteraction(id, payload, given(seconds));
      } else if (!(await oauthState.decideInteraction(id, payload))) {
        throw notFound('authorization that waits for its user');
      }
    },
    find: async (id) => (await current().oauthState.find('Interaction', id))?.payload,
    destroy: (id) => current().oauthState.remove('Interaction', id),
  };

  function tokens(model: OauthTokenModel): Adapter {
    return {
      ...keepsNothing,
      async upsert(id, payload, seconds) {
        const isKept = await current().oauthState.saveToken(model, id, {
          grantId: given(payload.grantId),
          payload,
          seconds: given(seconds),
        });
        if (!isKept) throw new errors.InvalidGrant('the grant was revoked meanwhile');
      },
      async find(id) {
        const kept = await current().oauthState.find(model, id);
        if (kept?.consumedAt && isRedeeming()) {
          await endCopied(kept.payload);
          return undefined;
        }
        return kept && withUse(kept.payload, kept.consumedAt);
      },
      async consume(id) {
        const isFirst = await current().oauthState.consume(model, id);
        if (!isFirst) throw new errors.InvalidGrant('already used');
      },
      destroy: (id) => current().oauthState.remove(model, id),
      // What is issued under a grant goes with it.
      revokeByGrantId: (grantId) => current().oauthGrants.remove(grantId),
    };
  }

  /**
   * Whoever redeems a code or refresh token that was used holds a copy, whatever else is wrong with
   * the request: the library would look at that first.
   */
  async function endCopied({ grantId, clientId }: AdapterPayload): Promise<void> {
    log.warn({ client_id: clientId }, 'a code or refresh token came again: its grant is revoked');
    await current().oauthGrants.remove(given(grantId));
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

function isRedeeming(): boolean {
  return Provider.ctx?.path === oauthPaths.token;
}

function withUse(payload: AdapterPayload, consumedAt: Date | null): AdapterPayload {
  return consumedAt ? { ...payload, consumed: Math.floor(consumedAt.getTime() / 1000) } : payload;
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the library left out what it always gives');
  return value;
}
