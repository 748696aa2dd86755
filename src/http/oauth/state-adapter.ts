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
import { oauthPaths } from './paths.ts';
import type { TransactionalRecords } from './transactional-records.ts';

/** Stores the library's state in our records, which every process shares. */
export function createStateAdapter({ current }: TransactionalRecords, log: Logger): AdapterFactory {
  const clients: Adapter = {
    ...storesNothing,
    async find(clientId) {
      const app = await current().oauthApps.findActive(clientId);
      return app && clientMetadata(app);
    },
  };

  const grants: Adapter = {
    ...storesNothing,
    async upsert(id, payload, seconds) {
      const isSaved = await current().oauthGrants.save(id, {
        clientId: required(payload.clientId),
        userId: Number(required(payload.accountId)),
        payload,
        seconds: required(seconds),
      });
      if (!isSaved) throw notFound('app or user');
    },
    async find(id) {
      const grant = await current().oauthGrants.find(id);
      // Each issued token extends the grant, so the expiry time in the stored payload may be too early.
      return grant && { ...grant.payload, exp: Math.floor(grant.expiresAt.getTime() / 1000) };
    },
    destroy: (id) => current().oauthGrants.remove(id),
  };

  const interactions: Adapter = {
    ...storesNothing,
    async upsert(id, payload, seconds) {
      const { oauthState } = current();
      if (payload.result === undefined) {
        await oauthState.saveInteraction(id, payload, required(seconds));
      } else if (!(await oauthState.decideInteraction(id, payload))) {
        throw notFound('pending authorization');
      }
    },
    find: async (id) => (await current().oauthState.find('Interaction', id))?.payload,
    destroy: (id) => current().oauthState.remove('Interaction', id),
  };

  function tokens(model: OauthTokenModel): Adapter {
    return {
      ...storesNothing,
      async upsert(id, payload, seconds) {
        const isSaved = await current().oauthState.saveToken(model, id, {
          grantId: required(payload.grantId),
          payload,
          seconds: required(seconds),
        });
        if (!isSaved) throw new errors.InvalidGrant('the grant was revoked');
      },
      async find(id) {
        const stored = await current().oauthState.find(model, id);
        if (stored?.consumedAt && isTokenRequest()) {
          await revokeReused(stored.payload);
          return undefined;
        }
        return stored && withConsumption(stored.payload, stored.consumedAt);
      },
      async consume(id) {
        const isFirst = await current().oauthState.consume(model, id);
        if (!isFirst) throw new errors.InvalidGrant('already used');
      },
      destroy: (id) => current().oauthState.remove(model, id),
      // Deleting a grant deletes everything issued under it.
      revokeByGrantId: (grantId) => current().oauthGrants.remove(grantId),
    };
  }

  /**
   * A used code or refresh token that is redeemed again has been copied. We revoke its grant before
   * the library checks the rest of the request, which might fail first.
   */
  async function revokeReused({ grantId, clientId }: AdapterPayload): Promise<void> {
    log.warn({ client_id: clientId }, 'code or refresh token reused: grant revoked');
    await current().oauthGrants.remove(required(grantId));
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
      // The console's session says who is signed in; the library's session is not used.
      case 'Session':
        return storesNothing;
      default:
        throw new Error(`unexpected model ${model}`);
    }
  };
}

const storesNothing: Adapter = {
  async upsert() {},
  async find() {},
  async findByUserCode() {},
  async findByUid() {},
  async consume() {},
  async destroy() {},
  async revokeByGrantId() {},
};

function isTokenRequest(): boolean {
  return Provider.ctx?.path === oauthPaths.token;
}

function withConsumption(payload: AdapterPayload, consumedAt: Date | null): AdapterPayload {
  return consumedAt ? { ...payload, consumed: Math.floor(consumedAt.getTime() / 1000) } : payload;
}

/** Narrows a value that the library always passes. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the library left out a required value');
  return value;
}
