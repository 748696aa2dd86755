import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import type { SignedInBy } from '../../records/access/console-sessions.ts';
import type { Records } from '../../records/records.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { invalidRequest } from '../server/problems.ts';
import { found, PathId, parseId } from '../server/wire.ts';
import { tooOften } from './session.ts';
import { ListedSessionSchema, listedSessionOnTheWire } from './session-wire.ts';
import { NewPassword, Secret } from './sign-in.ts';

const tags = ['Console'];
const security = [{ session: [] }];
const wrongPasswords = 5;

/** What whoever is signed in can do about that: the own sessions and the own password. */
export function registerConsoleAccount(
  app: App,
  records: Records,
  auth: Auth,
  adminToken: AdminToken,
): void {
  app.get(
    '/v1/console/sessions',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'listOwnSessions',
        summary: 'List your sessions',
        description:
          "Newest first: of the same user, of the same API key, or, of the operator's, all.",
        response: { 200: Type.Array(ListedSessionSchema) },
      },
    },
    async (request) => {
      const sessions = await records.consoleSessions.list(adminToken.hash, ownerOf(request));
      const current = request.session?.sessionId;
      return sessions.map((session) => listedSessionOnTheWire(session, current));
    },
  );

  app.delete(
    '/v1/console/sessions',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'endOtherSessions',
        summary: 'Sign out everywhere else',
        response: { 204: Type.Null({ description: 'Only this session is left.' }) },
      },
    },
    async (request, reply) => {
      await records.consoleSessions.endAll(ownerOf(request), request.session!.sessionId);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    '/v1/console/sessions/:session_id',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'endOwnSession',
        summary: 'End one of your sessions',
        params: Type.Object({ session_id: PathId('Which session.') }),
        response: { 204: Type.Null({ description: 'Ended.' }) },
      },
    },
    async (request, reply) => {
      const sessionId = parseId(request.params.session_id, 'session');
      const ended = await records.consoleSessions.end(sessionId, ownerOf(request));
      found(ended || undefined, 'session');
      return reply.code(204).send(null);
    },
  );

  app.put(
    '/v1/console/password',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'changePassword',
        summary: 'Change your password',
        description: "For customers' users. Your other sessions end.",
        body: Type.Object(
          {
            current_password: Secret('the one that you signed in with'),
            new_password: NewPassword,
          },
          { additionalProperties: false },
        ),
        response: { 204: Type.Null({ description: 'Changed.' }) },
      },
    },
    async (request, reply) => {
      const session = request.session!;
      if (session.kind !== 'customer') {
        throw new TributaryError('forbidden', "Only customers' users have a password.");
      }
      const { userId, sessionId } = session;
      const { current_password, new_password } = request.body;
      const attempt = await records.signInAttempts.begin([
        { subject: `password of user ${userId}`, most: wrongPasswords, isForgiven: true },
      ]);
      if (attempt.waitSeconds !== null) throw tooOften(reply, attempt.waitSeconds);
      if (!(await records.users.hasPassword(userId, current_password))) {
        throw invalidRequest([{ pointer: '/current_password', message: 'is not your password' }]);
      }
      await attempt.succeed();
      await records.users.setPassword(userId, new_password);
      await records.consoleSessions.endAll({ kind: 'customer', userId }, sessionId);
      return reply.code(204).send(null);
    },
  );

  function ownerOf({ session }: FastifyRequest): SignedInBy {
    if (session!.kind === 'operator') return { kind: 'operator', adminTokenHash: adminToken.hash };
    return session!;
  }
}
