import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import type { SigningIn } from '../../records/access/console-sessions.ts';
import type { Records } from '../../records/records.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { clientAddress } from '../server/client-address.ts';
import { atMost } from '../server/concurrency-limit.ts';
import type { SessionCookie } from '../server/session-cookie.ts';
import { SessionSchema, sessionOnTheWire } from './session-wire.ts';
import { askedSignIn, attemptLimits, type SignIn, SignInSchema } from './sign-in.ts';

const tags = ['Console'];
const shownUserAgent = 256;
/** Each takes 19 MiB and 50 ms of a thread that reading and writing files needs as well. */
const judgedAtOnce = 2;

interface ConsoleSessionDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly adminToken: AdminToken;
  readonly cookie: SessionCookie;
  /** The shared one. */
  readonly bucket: string;
}

/** Signing in to the console, and out of it. */
export function registerConsoleSession(app: App, deps: ConsoleSessionDependencies): void {
  const { records, auth, adminToken, cookie, bucket } = deps;
  const security = [{ session: [] }];
  const inTurn = atMost(judgedAtOnce);

  app.post(
    '/v1/console/session',
    {
      onRequest: refuseOtherSites,
      schema: {
        tags,
        security: [],
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          "A customer's user signs in with e-mail and password, a partner with an API key, the operator with the admin token. The session is a cookie, for 12 hours; the token in `csrf_token` must go as `x-csrf-token` with every request by that cookie that changes something. What fails too often must wait: 5 failures for one e-mail or key from one network, 30 from one network, 100 for one e-mail, each within 15 minutes.",
        body: SignInSchema,
        response: { 201: SessionSchema },
      },
    },
    async (request, reply) => {
      const asked = askedSignIn(request.body);
      const remoteAddress = clientAddress(request);
      const attempt = await records.signInAttempts.begin(attemptLimits(asked, remoteAddress));
      if (attempt.waitSeconds !== null) throw tooOften(reply, attempt.waitSeconds);
      const by = await inTurn(() => recognize(asked));
      if (!by) throw new TributaryError('unauthenticated', refusals[asked.kind]);
      await endPresented(request);
      const userAgent = (request.headers['user-agent'] ?? '').slice(0, shownUserAgent);
      const token = await records.consoleSessions.create(by, { remoteAddress, userAgent });
      if (token === undefined) throw new TributaryError('unauthenticated', refusals[asked.kind]);
      await attempt.succeed();
      cookie.set(reply, token);
      const session = await recall(token);
      reply.code(201).header('cache-control', 'no-store');
      return sessionOnTheWire(session!, token, bucket);
    },
  );

  app.get(
    '/v1/console/session',
    {
      schema: {
        tags,
        security,
        operationId: 'getSession',
        summary: 'Who is signed in',
        description: 'Nobody is no problem here: whoever opens the console has to ask.',
        response: { 200: SessionSchema, 204: Type.Null({ description: 'Nobody is signed in.' }) },
      },
    },
    async (request, reply) => {
      const token = cookie.read(request);
      const session = token === undefined ? undefined : await recall(token);
      reply.header('cache-control', 'no-store');
      if (token === undefined || !session) return reply.code(204).send(null);
      return sessionOnTheWire(session, token, bucket);
    },
  );

  app.delete(
    '/v1/console/session',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'signOut',
        summary: 'Sign out',
        response: { 204: Type.Null({ description: 'Signed out.' }) },
      },
    },
    async (request, reply) => {
      await records.consoleSessions.end(request.session!.sessionId, null);
      cookie.clear(reply);
      return reply.code(204).send(null);
    },
  );

  async function recognize(asked: SignIn): Promise<SigningIn | undefined> {
    switch (asked.kind) {
      case 'customer': {
        const user = await records.users.authenticate(asked.email, asked.password);
        return user && { kind: 'customer', ...user };
      }
      case 'partner': {
        const key = await records.apiKeys.authenticate(asked.apiKey);
        return key && { kind: 'partner', apiKeyId: key.apiKeyId };
      }
      case 'operator':
        return adminToken.isSame(asked.adminToken)
          ? { kind: 'operator', adminTokenHash: adminToken.hash }
          : undefined;
    }
  }

  /** A session that was there before, whosever it was, does not outlive a sign-in over it. */
  async function endPresented(request: FastifyRequest): Promise<void> {
    const token = cookie.read(request);
    const before = token === undefined ? undefined : await recall(token);
    if (before) await records.consoleSessions.end(before.sessionId, null);
  }

  function recall(token: string) {
    return records.consoleSessions.authenticate(token, adminToken.hash);
  }
}

const refusals = {
  customer: 'This e-mail and password do not belong together.',
  partner: 'This API key is unknown or revoked: ask the operator for another.',
  operator: 'This is not the admin token.',
};

/** Nobody is signed in by a page of another site, under whatever name. */
async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  const from = request.headers['sec-fetch-site'] ?? 'none';
  if (from === 'same-origin' || from === 'none') return;
  throw new TributaryError('forbidden', 'Another site cannot sign in for you: open the console.');
}

export function tooOften(reply: FastifyReply, waitSeconds: number): TributaryError {
  reply.header('retry-after', waitSeconds);
  return new TributaryError(
    'rate_limited',
    `That failed too often: try again in ${Math.ceil(waitSeconds / 60)} min.`,
  );
}
