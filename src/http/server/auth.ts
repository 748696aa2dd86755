import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import type { GuessLimit } from '../../domain/guess-limit.ts';
import type { ConsoleSession } from '../../records/access/console-sessions.ts';
import type { Records } from '../../records/records.ts';
import type { AdminToken } from './admin-token.ts';
import type { Audit } from './audit.ts';
import { clientAddress, networkOf } from './client-address.ts';
import type { RateLimit } from './rate-limit.ts';
import { isCsrfToken, type SessionCookie } from './session-cookie.ts';

export interface Auth {
  /** Accepts partners within their rate limit, and sets `partnerId`. */
  partner(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Like `partner`, and sets `customerId` if the request has a user token, which must be valid. Also
   * accepts read requests from a customer's own users.
   */
  audience(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The same checks at the end of a request that has waited. It is not counted again. */
  readonly recheck: Pick<Auth, 'partner' | 'audience'>;
  /** Accepts operators, and writes every call to the audit log. */
  operator(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Accepts any console session, and writes its changes to the audit log. */
  session(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

interface AuthDependencies {
  readonly records: Records;
  readonly adminToken: AdminToken;
  readonly audit: Audit;
  readonly rateLimit: RateLimit;
  /** Counts the requests of partners, and throws beyond their quota. */
  readonly requests: { count(partnerId: number): void };
  readonly guesses: GuessLimit;
  readonly cookie: SessionCookie;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Programs authenticate with a token, the console with its session cookie. */
export function createAuth(dependencies: AuthDependencies): Auth {
  const { records, adminToken, audit, rateLimit, requests, guesses, cookie } = dependencies;

  /** Checks a credential, unless too many of its network were wrong. Undefined if it is wrong. */
  async function judge<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    secret: string,
    check: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const network = networkOf(clientAddress(request));
    const guess = guesses.begin(network, credentialName(secret));
    if (guess.waitSeconds !== null) throw tooManyWrong(reply, guess.waitSeconds);
    try {
      const owner = await check();
      if (owner === undefined) guess.wrong();
      else guess.right();
      return owner;
    } catch (error) {
      guess.drop();
      throw error;
    }
  }

  /** The console session of a request without a token. Writes must have the CSRF token. */
  async function sessionOf(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ConsoleSession | undefined> {
    const token = cookie.read(request);
    if (token === undefined || request.headers.authorization !== undefined) return undefined;
    const session = await judge(request, reply, token, () =>
      records.consoleSessions.authenticate(token, adminToken.configured),
    );
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
  async function identifyPartner(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await identifyOwner(request, reply, await sessionOf(request, reply));
  }

  /** Sets `customerId` alone for a customer's own users, otherwise also `partnerId` and `apiKeyId`. */
  async function identifyReader(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = await sessionOf(request, reply);
    if (session?.kind !== 'customer') {
      await identifyOwner(request, reply, session);
      await identifyCustomer(request, reply);
      return;
    }
    if (!safeMethods.has(request.method)) {
      throw forbidden('You can view audiences but not change them. Your partners load them.');
    }
    request.customerId = session.customerId;
  }

  async function identifyOwner(
    request: FastifyRequest,
    reply: FastifyReply,
    session: ConsoleSession | undefined,
  ): Promise<void> {
    if (session && session.kind !== 'partner') throw forbidden('Only partners can do this.');
    const { apiKeyId, partnerId } = session ?? (await keyOwner(request, reply));
    request.partnerId = partnerId;
    request.apiKeyId = apiKeyId;
  }

  /** Sets `customerId` if the request has a user token. */
  async function identifyCustomer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = request.headers['x-user-token'];
    if (token === undefined) return;
    const { partnerId } = request;
    const user = await judge(request, reply, `${partnerId} ${token}`, () =>
      tokenOwner(partnerId, String(token)),
    );
    if (!user) {
      throw unauthenticated(
        'The x-user-token is unknown, expired, revoked or belongs to another partner. Send a valid token, or none to act for yourself.',
      );
    }
    request.customerId = user.customerId;
    request.appGrant = user.app;
  }

  async function keyOwner(request: FastifyRequest, reply: FastifyReply) {
    const key = bearerToken(request);
    const caller =
      key === undefined
        ? undefined
        : await judge(request, reply, key, () => records.apiKeys.authenticate(key));
    if (caller) return caller;
    throw unauthenticated(
      key === undefined
        ? 'Send your API key in the header Authorization: Bearer <API_KEY>.'
        : 'The API key is unknown or revoked. Ask the operator for a new key.',
    );
  }

  async function hasAdminToken(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const token = bearerToken(request);
    if (token === undefined) return false;
    return (await judge(request, reply, token, () => adminToken.check(token))) !== undefined;
  }

  /** The console itself costs a partner nothing, also if its quota is used up. */
  function countUse({ session, partnerId }: FastifyRequest): void {
    if (!session) requests.count(partnerId);
  }

  /** The operator issued the token, or an app obtained it from a user. */
  async function tokenOwner(partnerId: number, token: string) {
    const issued = await records.userTokens.authenticate(partnerId, token);
    if (issued) return { customerId: issued.customerId, app: null };
    const grant = await records.oauthGrants.authenticate(partnerId, token);
    if (!grant) return undefined;
    const { customerId, clientId, userId } = grant;
    return { customerId, app: { clientId, userId } };
  }

  return {
    async partner(request, reply) {
      await identifyPartner(request, reply);
      countRequest(rateLimit, `API key ${request.apiKeyId}`, reply);
      countUse(request);
    },

    async audience(request, reply) {
      await identifyReader(request, reply);
      const { session } = request;
      if (session?.kind === 'customer') {
        countRequest(rateLimit, `user ${session.userId}`, reply);
        return;
      }
      countRequest(rateLimit, `API key ${request.apiKeyId}`, reply);
      countUse(request);
    },

    recheck: { partner: identifyPartner, audience: identifyReader },

    async operator(request, reply) {
      const session = await sessionOf(request, reply);
      if (session && session.kind !== 'operator') throw forbidden('Only operators can do this.');
      if (!session && !(await hasAdminToken(request, reply))) {
        throw unauthenticated(
          'Send the admin token in the header Authorization: Bearer <ADMIN_TOKEN>.',
        );
      }
      await audit.begin(request, reply);
    },

    async session(request, reply) {
      if (!(await sessionOf(request, reply))) throw unauthenticated('You are not signed in.');
      if (!safeMethods.has(request.method)) await audit.begin(request, reply);
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

/** Identifies a credential in memory without being the secret. */
export function credentialName(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}

function tooManyWrong(reply: FastifyReply, waitSeconds: number): TributaryError {
  reply.header('retry-after', waitSeconds);
  return new TributaryError(
    'rate_limited',
    `Too many wrong keys or tokens came from your network. Try again in ${waitSeconds} s.`,
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
