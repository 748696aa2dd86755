import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TributaryError } from '../domain/errors.ts';
import type { Records } from '../records/records.ts';
import type { RateLimit } from './rate-limit.ts';
import { whenEnded } from './when-ended.ts';
import { pathOf } from './wire.ts';

export interface Auth {
  /** Lets only partners through that do not call too often, and says which. */
  partner(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The same, and the customer it acts for if it sends a user token, which must then be valid. */
  audience(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Lets only operators through, and keeps a record of the call and of how it ends. */
  operator(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

export function createAuth(records: Records, adminToken: string, rateLimit: RateLimit): Auth {
  const adminTokenHash = sha256(adminToken);

  async function partner(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const key = bearer(request);
    const caller = key === undefined ? undefined : await records.apiKeys.authenticate(key);
    if (!caller) {
      throw new TributaryError(
        'unauthenticated',
        key === undefined
          ? 'Send your API key as Authorization: Bearer <API_KEY>.'
          : 'This API key is unknown or revoked: ask the operator for another.',
      );
    }
    spend(rateLimit, caller.apiKeyId, reply);
    request.partnerId = caller.partnerId;
  }

  return {
    partner,

    async audience(request, reply) {
      await partner(request, reply);
      const token = request.headers['x-user-token'];
      if (token === undefined) return;
      const user = await records.userTokens.authenticate(request.partnerId, String(token));
      if (!user) {
        throw new TributaryError(
          'unauthenticated',
          'This x-user-token is unknown, expired, revoked or of another partner: send a valid one, or none to act for yourself.',
        );
      }
      request.customerId = user.customerId;
    },

    async operator(request, reply) {
      const token = bearer(request);
      // Hashes have one length whatever was sent, which the constant-time comparison needs.
      if (token === undefined || !timingSafeEqual(sha256(token), adminTokenHash)) {
        throw new TributaryError(
          'unauthenticated',
          'Send the admin token as Authorization: Bearer <ADMIN_TOKEN>.',
        );
      }
      const adminCallId = await records.adminCalls.begin({
        requestId: request.id,
        action: `${request.method} ${request.routeOptions.url}`,
        target: pathOf(request),
        remoteAddress: clientAddress(request),
      });
      whenEnded(reply, (status) => {
        records.adminCalls.end(adminCallId, status).catch((err) => {
          request.log.warn({ err, admin_call_id: adminCallId }, 'status not kept in the audit');
        });
      });
    },
  };
}

/** Counts the request and tells the client what it has left, by the headers of the IETF's draft. */
function spend(rateLimit: RateLimit, apiKeyId: number, reply: FastifyReply): void {
  const { isAllowed, remaining, resetSeconds } = rateLimit.count(apiKeyId);
  reply.headers({
    'ratelimit-limit': rateLimit.perMinute,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': resetSeconds,
  });
  if (isAllowed) return;
  reply.header('retry-after', resetSeconds);
  throw new TributaryError(
    'rate_limited',
    `This API key has made its ${rateLimit.perMinute} requests of this minute: try again in ${resetSeconds} s.`,
  );
}

/** Even a proxy that is trusted may pass on what is no address; then it is the proxy that called. */
function clientAddress(request: FastifyRequest): string {
  return isIP(request.ip) !== 0 ? request.ip : (request.socket.remoteAddress ?? 'unknown');
}

function bearer(request: FastifyRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
