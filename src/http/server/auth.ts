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
  /** Lets only partners through that do not call too often, and says which. */
  partner(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * The same, and the customer it acts for if it sends a user token, which must then be valid. A
   * customer's own users may look, too.
   */
  audience(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Lets only operators through, and keeps a record of the call and of how it ends. */
  operator(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Lets through whoever is signed in to the console. */
  session(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

interface AuthDependencies {
  readonly records: Records;
  readonly adminToken: AdminToken;
  readonly rateLimit: RateLimit;
  readonly cookie: SessionCookie;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Programs send a token of their own; the console sends its session's cookie instead. */
export function createAuth({ records, adminToken, rateLimit, cookie }: AuthDependencies): Auth {
  /** Who is signed in, if the request brings no token, and if it comes from the console itself. */
  async function signedIn(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ConsoleSession | undefined> {
    const token = cookie.read(request);
    if (token === undefined || request.headers.authorization !== undefined) return undefined;
    const session = await records.consoleSessions.authenticate(token, adminToken.hash);
    if (!session) return undefined;
    if (!safeMethods.has(request.method) && !isCsrfToken(request.headers['x-csrf-token'], token)) {
      throw forbidden("Send the session's csrf_token as x-csrf-token.");
    }
    request.session = session;
    // What is somebody's stays out of caches that others may look into; a stream says so itself.
    if (!reply.raw.headersSent) reply.header('cache-control', 'no-store');
    return session;
  }

  /** Says which partner calls, and by which key. */
  async function asPartner(
    request: FastifyRequest,
    session: ConsoleSession | undefined,
  ): Promise<number> {
    if (session && session.kind !== 'partner') throw forbidden('This is for partners.');
    const { apiKeyId, partnerId } = session ?? (await keyOwner(request));
    request.partnerId = partnerId;
    return apiKeyId;
  }

  /** Says for which customer, if a token says so. */
  async function actingFor(request: FastifyRequest): Promise<void> {
    const token = request.headers['x-user-token'];
    if (token === undefined) return;
    const user = await tokenOwner(request.partnerId, String(token));
    if (!user) {
      throw unauthenticated(
        'This x-user-token is unknown, expired, revoked or of another partner: send a valid one, or none to act for yourself.',
      );
    }
    request.customerId = user.customerId;
  }

  async function keyOwner(request: FastifyRequest) {
    const key = bearer(request);
    const caller = key === undefined ? undefined : await records.apiKeys.authenticate(key);
    if (caller) return caller;
    throw unauthenticated(
      key === undefined
        ? 'Send your API key as Authorization: Bearer <API_KEY>.'
        : 'This API key is unknown or revoked: ask the operator for another.',
    );
  }

  /** A token that the operator issued, or one that a user let an app have; they differ in form. */
  async function tokenOwner(partnerId: number, token: string) {
    return (
      (await records.userTokens.authenticate(partnerId, token)) ??
      (await records.oauthGrants.authenticate(partnerId, token))
    );
  }

  return {
    async partner(request, reply) {
      const apiKeyId = await asPartner(request, await signedIn(request, reply));
      spend(rateLimit, `API key ${apiKeyId}`, reply);
    },

    async audience(request, reply) {
      const session = await signedIn(request, reply);
      if (session?.kind === 'customer') {
        if (!safeMethods.has(request.method)) {
          throw forbidden('Your audiences are loaded by your partners: you may look at them.');
        }
        spend(rateLimit, `user ${session.userId}`, reply);
        request.customerId = session.customerId;
        return;
      }
      const apiKeyId = await asPartner(request, session);
      await actingFor(request);
      spend(rateLimit, `API key ${apiKeyId}`, reply);
    },

    async operator(request, reply) {
      const session = await signedIn(request, reply);
      if (session && session.kind !== 'operator') throw forbidden('This is for operators.');
      const token = bearer(request);
      if (!session && (token === undefined || !adminToken.isSame(token))) {
        throw unauthenticated('Send the admin token as Authorization: Bearer <ADMIN_TOKEN>.');
      }
      const adminCallId = await records.adminCalls.begin({
        requestId: request.id,
        action: `${request.method} ${request.routeOptions.url}`,
        target: pathOf(request),
        remoteAddress: clientAddress(request),
      });
      onResponseFinished(reply, (status) => {
        records.adminCalls.end(adminCallId, status).catch((err) => {
          request.log.warn({ err, admin_call_id: adminCallId }, 'status not kept in the audit');
        });
      });
    },

    async session(request, reply) {
      if (!(await signedIn(request, reply))) throw unauthenticated('You are not signed in.');
    },
  };
}

/** Counts the request and tells the client what it has left, by the headers of the IETF's draft. */
function spend(rateLimit: RateLimit, caller: string, reply: FastifyReply): void {
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
    `The ${rateLimit.perMinute} requests of this minute have been made: try again in ${resetSeconds} s.`,
  );
}

function bearer(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

function unauthenticated(detail: string): TributaryError {
  return new TributaryError('unauthenticated', detail);
}

function forbidden(detail: string): TributaryError {
  return new TributaryError('forbidden', detail);
}
