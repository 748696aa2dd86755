import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { oauthKeyIdleSeconds } from '../../records/access/oauth-keys.ts';
import type { Records } from '../../records/records.ts';
import { createBrowserMark } from './browser-mark.ts';
import { createJointRecords } from './joint-records.ts';
import { createNetworkLimits } from './network-limits.ts';
import { findPending, type PendingAuthorization } from './pending-authorization.ts';

type Respond = (
  request: IncomingMessage,
  response: ServerResponse,
  clientAddress: string,
) => Promise<void>;

export interface AuthorizationServer {
  /** What answers a request for one of its paths. */
  responder(): Promise<Respond>;
  /** What an app asks of whoever sits at this very browser. */
  pending(uid: string, request: FastifyRequest): Promise<PendingAuthorization | undefined>;
}

interface AuthorizationServerDependencies {
  readonly records: Records;
  readonly publicUrl: string;
  /** How many requests a minute may come from one network. */
  readonly rateLimit: number;
  readonly log: Logger;
}

/** Twice before a new key begins to sign, so that none is met before it is known. */
const lookForKeysMs = (oauthKeyIdleSeconds * 1000) / 2;

interface Current {
  readonly kids: string;
  readonly provider: Provider;
  readonly respond: ReturnType<Provider['callback']>;
  readonly foundAt: number;
}

/** The authorization server of OAuth 2.0: the library, with the keys that are in force. */
export function createAuthorizationServer(
  { records, publicUrl, rateLimit, log }: AuthorizationServerDependencies,
  now: () => number = Date.now,
): AuthorizationServer {
  const browserMark = createBrowserMark(publicUrl);
  const limits = createNetworkLimits(rateLimit);
  const joint = createJointRecords(records);
  const reached = new URL(publicUrl);
  let known: Current | undefined;
  let looking: Promise<Current> | undefined;

  async function current(): Promise<Current> {
    if (known && now() - known.foundAt < lookForKeysMs) return known;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function look(): Promise<Current> {
    const foundAt = now();
    const keys = await records.oauthKeys.current();
    const kids = keys.map(({ kid }) => kid).join();
    if (known?.kids === kids) {
      known = { ...known, foundAt };
    } else {
      // The library is loaded when it is first needed: that takes a fifth of the time of a start.
      const { createProvider } = await import('./create-provider.ts');
      const provider = createProvider(
        { records: joint, publicUrl, browserMark, limits },
        keys,
        log,
      );
      known = { kids, provider, respond: provider.callback(), foundAt };
    }
    return known;
  }

  return {
    async responder() {
      const { respond } = await current();
      return async (request, response, clientAddress) => {
        standAt(reached, request, clientAddress);
        await respond(request, response);
      };
    },

    async pending(uid, request) {
      const { provider } = await current();
      return findPending(provider, joint, uid, (mark) => browserMark.isSame(request, mark));
    },
  };
}

/** Makes a request say that it came to the public address: no header of it steers any link. */
function standAt(
  reached: URL,
  request: IncomingMessage & { baseUrl?: string },
  clientAddress: string,
): void {
  request.headers.host = reached.host;
  request.headers['x-forwarded-for'] = clientAddress;
  request.headers['x-forwarded-host'] = reached.host;
  request.headers['x-forwarded-proto'] = reached.protocol.slice(0, -1);
  request.baseUrl = reached.pathname.replace(/\/$/, '');
}
