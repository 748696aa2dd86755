import type { FastifyReply, FastifyRequest } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import type { ConsoleSession } from '../../records/access/console-sessions.ts';
import type { Records } from '../../records/records.ts';
import type { AdminToken } from './admin-token.ts';
import { clientAddress } from './client-address.ts';
import type { RateLimit } from './rate-limit.ts';
import { onResponseFinished } from './response-finished.ts';
import { isCsrfToken, type SessionCookie } from './session-cookie.ts';
import { pathOf } from './wire.ts';

export interface Auth {
  /** Accepts partners within their rate limit, and sets `partnerId`. */
  partner(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Like `partner`, and sets `customerId` if the request has a user token, which must be valid. Also
   * accepts read requests from a customer's own users.
   */
  audience(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Accepts operators, and writes the call and its status to the audit log. */
  operator(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Accepts any console session. */
  session(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

interface AuthDependencies {
  readonly records: Records;
  readonly adminToken: AdminToken;
  readonly rateLimit: RateLimit;
  readonly cookie: SessionCookie;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Programs authenticate with a token, the console with its session cookie. */
export function createAuth({ records, adminToken, rateLimit, cookie }: AuthDependencies): Auth {
  /** The console session of a request without a token. Writes must have the CSRF token. */
  async function sessionOf(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ConsoleSession | undefined> {
    const token = cookie.read(request);
    if (token === undefined || request.headers.authorization !== undefined) return undefined;
    const session = await records.consoleSessions.authenticate(token, adminToken.hash);
    if (!session) return undefined;
    if (!safeMethods.has(request.method) && !isCsrfToken(request.headers['x-csrf-token'], token)) {
      throw forbidden("Send the session's csrf_token in the x-csrf-token header.");
    }
    request.session = session;
    // Keeps personal data out of shared caches. A stream sets this header itself.
    if (!reply.raw.headersSent) reply.header('cache-control', 'no-store');
    return session;
  }

  /** Sets `partnerId` and `apiKeyId`. */
  async function identifyPartner(
    request: FastifyRequest,
    session: ConsoleSession | undefined,
  ): Promise<void> {
    if (session && session.kind !== 'partner') throw forbidden('Only partners can do this.');
    const { apiKeyId, partnerId } = session ?? (await keyOwner(request));
    request.partnerId = partnerId;
    request.apiKeyId = apiKeyId;
  }

  /** Sets `customerId` if the request has a user token. */
  async function identifyCustomer(request: FastifyRequest): Promise<void> {
    const token = request.headers['x-user-token'];
    if (token === undefined) return;
    const user = await tokenOwner(request.partnerId, String(token));
    if (!user) {
      throw unauthenticated(
        'The x-user-token is unknown, expired, revoked or belongs to another partner. Send a valid token, or none to act for yourself.',
      );
    }
    request.customerId = user.customerId;
  }

  async function keyOwner(request: FastifyRequest) {
    const key = bearerToken(request);
    const caller = key === undefined ? undefined : await records.apiKeys.authenticate(key);
    if (caller) return caller;
    throw unauthenticated(
      key === undefined
        ? 'Send your API key in the header Authorization: Bearer <API_KEY>.'
        : 'The API key is unknown or revoked. Ask the operator for a new key.',
    );
  }

  /** The operator issued the token, or an app obtained it from a user. */
  async function tokenOwner(partnerId: number, token: string) {
    return (
      (await records.userTokens.authenticate(partnerId, token)) ??
      (await records.oauthGrants.authenticate(partnerId, token))
    );
  }

  return {
    async partner(request, reply) {
      await identifyPartner(request, await sessionOf(request, reply));
      countRequest(rateLimit, `API key ${request.apiKeyId}`, reply);
    },

    async audience(request, reply) {
      const session = await sessionOf(request, reply);
      if (session?.kind === 'customer') {
        if (!safeMethods.has(request.method)) {
          throw forbidden('You can view audiences but not change them. Your partners load them.');
        }
        countRequest(rateLimit, `user ${session.userId}`, reply);
        request.customerId = session.customerId;
        return;
      }
      await identifyPartner(request, session);
      await identifyCustomer(request);
      countRequest(rateLimit, `API key ${request.apiKeyId}`, reply);
    },

    async operator(request, reply) {
      const session = await sessionOf(request, reply);
      if (session && session.kind !== 'operator') throw forbidden('Only operators can do this.');
      const token = bearerToken(request);
      if (!session && (token === undefined || !adminToken.isSame(token))) {
        throw unauthenticated(
          'Send the admin token in the header Authorization: Bearer <ADMIN_TOKEN>.',
        );
      }
      const adminCallId = await records.adminCalls.begin({
        requestId: request.id,
        action: `${request.method} ${request.routeOptions.url}`,
        target: adminToken.redact(pathOf(request)),
        remoteAddress: clientAddress(request),
      });
      onResponseFinished(reply, (status) => {
        records.adminCalls.end(adminCallId, status).catch((err) => {
          request.log.warn({ err, admin_call_id: adminCallId }, 'audit status not saved');
        });
      });
    },

    async session(request, reply) {
      if (!(await sessionOf(request, reply))) throw unauthenticated('You are not signed in.');
    },
  };
}

/** Counts the request and sets the rate limit headers of the IETF draft. */
function countRequest(rateLimit: RateLimit, caller: string, reply: FastifyReply): void {
  const { isAllowed, remaining, resetSeconds } = rateLimit.count(caller);
  reply.headers({
    'ratelimit-limit': rateLimit.perMinute,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  });
  if (isAllowed) return;
  reply.header('retry-after', resetSeconds);
  throw new TributaryError(
    'rate_limited',
    `The limit of ${rateLimit.perMinute} requests per minute is reached. Try again in ${resetSeconds} s.`,
  );
}

function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

function unauthenticated(detail: string): TributaryError {
  return new TributaryError('unauthenticated', detail);
}

function forbidden(detail: string): TributaryError {
  return new TributaryError('forbidden', detail);
}
