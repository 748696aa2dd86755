import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import type { GuessLimit } from '../../domain/guess-limit.ts';
import { oauthKeyActivationSeconds } from '../../records/access/oauth-keys.ts';
import type { Records } from '../../records/records.ts';
import { createBrowserMark } from './browser-mark.ts';
import { createNetworkLimits } from './network-limits.ts';
import { findPending, type PendingAuthorization } from './pending-authorization.ts';
import { createTransactionalRecords } from './transactional-records.ts';

type Respond = (
  request: IncomingMessage,
  response: ServerResponse,
  clientAddress: string,
) => Promise<void>;

export interface AuthorizationServer {
  /** Answers requests for the server's paths. */
  responder(): Promise<Respond>;
  /** The authorization with this uid, if this browser began it. */
  pending(uid: string, request: FastifyRequest): Promise<PendingAuthorization | undefined>;
}

interface AuthorizationServerDependencies {
  readonly records: Records;
  readonly publicUrl: string;
  /** Requests per minute from one network. */
  readonly rateLimit: number;
  readonly guesses: GuessLimit;
  readonly log: Logger;
}

/** Keys are reloaded twice before a new one begins to sign, so every process knows it by then. */
const reloadKeysMs = (oauthKeyActivationSeconds * 1000) / 2;

/** The library, set up with one set of keys. */
interface LoadedProvider {
  readonly kids: string;
  readonly provider: Provider;
  readonly respond: ReturnType<Provider['callback']>;
  readonly loadedAt: number;
}

/** The OAuth 2.0 authorization server: oidc-provider with the current keys. */
export function createAuthorizationServer(
  { records, publicUrl, rateLimit, guesses, log }: AuthorizationServerDependencies,
  now: () => number = () => performance.now(),
): AuthorizationServer {
  const browserMark = createBrowserMark(publicUrl);
  const limits = createNetworkLimits(rateLimit);
  const transactional = createTransactionalRecords(records);
  const publicAddress = new URL(publicUrl);
  let loaded: LoadedProvider | undefined;
  let loading: Promise<LoadedProvider> | undefined;

  async function current(): Promise<LoadedProvider> {
    if (loaded && now() - loaded.loadedAt < reloadKeysMs) return loaded;
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  }

  async function load(): Promise<LoadedProvider> {
    const loadedAt = now();
    const keys = await records.oauthKeys.current();
    const kids = keys.map(({ kid }) => kid).join();
    if (loaded?.kids === kids) {
      loaded = { ...loaded, loadedAt };
    } else {
      // Imported when first needed, because it takes a fifth of the start-up time.
      const { createProvider } = await import('./create-provider.ts');
      const provider = createProvider(
        { records: transactional, publicUrl, browserMark, limits, guesses },
        keys,
        log,
      );
      loaded = { kids, provider, respond: provider.callback(), loadedAt };
    }
    return loaded;
  }

  return {
    async responder() {
      const { respond } = await current();
      return async (request, response, clientAddress) => {
        addressTo(publicAddress, request, clientAddress);
        await respond(request, response);
      };
    },

    async pending(uid, request) {
      const { provider } = await current();
      return findPending(provider, transactional, uid, (mark) => browserMark.isSame(request, mark));
    },
  };
}

/** Makes a request look sent to the public address, so that none of its headers affects a link. */
function addressTo(
  publicAddress: URL,
  request: IncomingMessage & { baseUrl?: string },
  clientAddress: string,
): void {
  request.headers.host = publicAddress.host;
  request.headers['x-forwarded-for'] = clientAddress;
  request.headers['x-forwarded-host'] = publicAddress.host;
  request.headers['x-forwarded-proto'] = publicAddress.protocol.slice(0, -1);
  request.baseUrl = publicAddress.pathname.replace(/\/$/, '');
}
