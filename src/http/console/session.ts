import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import type { GuessLimit } from '../../domain/guess-limit.ts';
import type { NewSessionOwner } from '../../records/access/console-sessions.ts';
import type { Records } from '../../records/records.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import type { Audit } from '../server/audit.ts';
import { type Auth, credentialName } from '../server/auth.ts';
import { clientAddress } from '../server/client-address.ts';
import type { SessionCookie } from '../server/session-cookie.ts';
import { limitConcurrency } from './concurrency-limit.ts';
import { sessionRoute } from './session-route.ts';
import { SessionSchema, sessionOnTheWire } from './session-wire.ts';
import { attemptLimits, parseSignIn, type SignIn, SignInSchema } from './sign-in.ts';

const sessionPath = '/v1/console/session';
const tags = ['Console'];
const maximumUserAgentLength = 256;
/** Each check takes 19 MiB, and 50 ms of a thread that file I/O needs as well. */
const concurrentChecks = 2;

interface ConsoleSessionDependencies {
  readonly records: Records;
  readonly auth: Auth;
  readonly adminToken: AdminToken;
  readonly audit: Audit;
  readonly guesses: GuessLimit;
  readonly cookie: SessionCookie;
  /** The shared bucket. */
  readonly bucket: string;
}

/** Signing in to the console and signing out. */
export function registerConsoleSession(app: App, deps: ConsoleSessionDependencies): void {
  const { records, auth, adminToken, audit, guesses, cookie, bucket } = deps;
  const limited = limitConcurrency(concurrentChecks);

  app.post(
    sessionPath,
    {
      onRequest: refuseOtherSites,
      schema: {
        tags,
        security: [],
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          "A customer's user signs in with e-mail and password, a partner with an API key, the operator with the admin token. The session is a cookie that is valid for 12 hours. Send `csrf_token` as `x-csrf-token` with every request that uses the cookie and changes something. Sign-in is blocked for a while after too many failures within 15 minutes: 5 for one e-mail or key from one network, 30 from one network, or 100 for one e-mail.",
        body: SignInSchema,
        response: { 201: SessionSchema },
      },
    },
    async (request, reply) => {
      const signIn = parseSignIn(request.body);
      const remoteAddress = clientAddress(request);
      const attempt = await records.signInAttempts.begin(attemptLimits(signIn, remoteAddress));
      if (attempt.waitSeconds !== null) throw tooManyFailures(reply, attempt.waitSeconds);
      const by = await limited(() => authenticate(signIn));
      if (!by) throw new TributaryError('unauthenticated', refusals[signIn.kind]);
      await endPreviousSession(request);
      const userAgent = (request.headers['user-agent'] ?? '').slice(0, maximumUserAgentLength);
      const token = await records.consoleSessions.create(by, { remoteAddress, userAgent });
      if (token === undefined) throw new TributaryError('unauthenticated', refusals[signIn.kind]);
      await attempt.succeed();
      guesses.trust(credentialName(token));
      cookie.set(reply, token);
      const session = await findSession(token);
      request.session = session ?? null;
      await audit.add(records, request, 201);
      reply.code(201).header('cache-control', 'no-store');
      return sessionOnTheWire(session!, token, bucket);
    },
  );

  app.get(
    sessionPath,
    {
      schema: {
        tags,
        security: [{ session: [] }],
        operationId: 'getSession',
        summary: 'Get the current session',
        description: 'Answers 204, not an error, if nobody is signed in.',
        response: { 200: SessionSchema, 204: Type.Null({ description: 'Nobody is signed in.' }) },
      },
    },
    async (request, reply) => {
      const token = cookie.read(request);
      const session = token === undefined ? undefined : await findSession(token);
      reply.header('cache-control', 'no-store');
      if (token === undefined || !session) return reply.code(204).send(null);
      return sessionOnTheWire(session, token, bucket);
    },
  );

  app.delete(
    sessionPath,
    sessionRoute(auth, {
      operationId: 'signOut',
      summary: 'Sign out',
      response: { 204: Type.Null({ description: 'Signed out.' }) },
    }),
    async (request, reply) => {
      await records.consoleSessions.end(request.session!.sessionId, null);
      cookie.clear(reply);
      return reply.code(204).send(null);
    },
  );

  async function authenticate(signIn: SignIn): Promise<NewSessionOwner | undefined> {
    switch (signIn.kind) {
      case 'customer': {
        const user = await records.users.authenticate(signIn.email, signIn.password);
        return user && { kind: 'customer', ...user };
      }
      case 'partner': {
        const key = await records.apiKeys.authenticate(signIn.apiKey);
        return key && { kind: 'partner', apiKeyId: key.apiKeyId };
      }
      case 'operator': {
        const adminTokenHash = await adminToken.check(signIn.adminToken);
        return adminTokenHash && { kind: 'operator', adminTokenHash };
      }
    }
  }

  /** A sign-in ends the session of the cookie it came with, even one of another account. */
  async function endPreviousSession(request: FastifyRequest): Promise<void> {
    const token = cookie.read(request);
    const previous = token === undefined ? undefined : await findSession(token);
    if (previous) await records.consoleSessions.end(previous.sessionId, null);
  }

  function findSession(token: string) {
    return records.consoleSessions.authenticate(token, adminToken.configured);
  }
}

const refusals = {
  customer: 'Incorrect e-mail or password.',
  partner: 'This API key is unknown or revoked. Ask the operator for a new one.',
  operator: 'Incorrect admin token.',
};

/** A page of another site must not sign anyone in, not even with valid credentials. */
export async function refuseOtherSites(request: FastifyRequest): Promise<void> {
  const from = request.headers['sec-fetch-site'] ?? 'none';
  if (from === 'same-origin' || from === 'none') return;
  throw new TributaryError(
    'forbidden',
    'Sign-in from another site is refused. Open the console to sign in.',
  );
}

export function tooManyFailures(reply: FastifyReply, waitSeconds: number): TributaryError {
  reply.header('retry-after', waitSeconds);
  return new TributaryError(
    'rate_limited',
    `Too many failed attempts. Try again in ${Math.ceil(waitSeconds / 60)} min.`,
  );
}
