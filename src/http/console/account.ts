import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { firstPage } from '../../domain/page.ts';
import type { SessionOwner } from '../../records/access/console-sessions.ts';
import type { Records } from '../../records/records.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { invalidRequest } from '../server/problems.ts';
import { found, PathId, parseId } from '../server/wire.ts';
import { tooManyFailures } from './session.ts';
import { sessionRoute } from './session-route.ts';
import { ListedSessionSchema, listedSessionOnTheWire } from './session-wire.ts';
import { NewPassword, Secret } from './sign-in.ts';
import { signedInUser } from './signed-in-user.ts';

const sessionsPath = '/v1/console/sessions';
const maximumWrongPasswords = 5;

/** The caller's own sessions and password. */
export function registerConsoleAccount(
  app: App,
  records: Records,
  auth: Auth,
  adminToken: AdminToken,
): void {
  app.get(
    sessionsPath,
    sessionRoute(auth, {
      operationId: 'listOwnSessions',
      summary: 'List your sessions',
      description:
        'Newest first: the sessions of the same user or API key, or all operator sessions.',
      response: { 200: Type.Array(ListedSessionSchema) },
    }),
    async (request) => {
      const sessions = await records.consoleSessions.list(
        adminToken.configured,
        ownerOf(request),
        firstPage,
      );
      const current = request.session?.sessionId;
      return sessions.map((session) => listedSessionOnTheWire(session, current));
    },
  );

  app.delete(
    sessionsPath,
    sessionRoute(auth, {
      operationId: 'endOtherSessions',
      summary: 'Sign out everywhere else',
      response: { 204: Type.Null({ description: 'Every other session has ended.' }) },
    }),
    async (request, reply) => {
      await records.consoleSessions.endAll(ownerOf(request), request.session!.sessionId);
      return reply.code(204).send(null);
    },
  );

  app.delete(
    `${sessionsPath}/:session_id`,
    sessionRoute(auth, {
      operationId: 'endOwnSession',
      summary: 'End one of your sessions',
      params: Type.Object({ session_id: PathId('The session.') }),
      response: { 204: Type.Null({ description: 'Ended.' }) },
    }),
    async (request, reply) => {
      const sessionId = parseId(request.params.session_id, 'session');
      const ended = await records.consoleSessions.end(sessionId, ownerOf(request));
      found(ended, 'session');
      return reply.code(204).send(null);
    },
  );

  app.put(
    '/v1/console/password',
    sessionRoute(auth, {
      operationId: 'changePassword',
      summary: 'Change your password',
      description:
        "For customers' users. Your other sessions and your password links end. Connected apps stay connected.",
      body: Type.Object(
        {
          current_password: Secret('the one that you signed in with'),
          new_password: NewPassword,
        },
        { additionalProperties: false },
      ),
      response: { 204: Type.Null({ description: 'Changed.' }) },
    }),
    async (request, reply) => {
      const { userId, sessionId } = signedInUser(request);
      const { current_password, new_password } = request.body;
      const attempt = await records.signInAttempts.begin([
        {
          subject: `password of user ${userId}`,
          maxFailures: maximumWrongPasswords,
          resetsOnSuccess: true,
        },
      ]);
      if (attempt.waitSeconds !== null) throw tooManyFailures(reply, attempt.waitSeconds);
      if (!(await records.users.hasPassword(userId, current_password))) {
        throw invalidRequest([{ pointer: '/current_password', message: 'is not your password' }]);
      }
      await attempt.succeed();
      await records.inTransaction(async ({ users, passwordLinks, consoleSessions }) => {
        await users.setPassword(userId, new_password);
        await passwordLinks.endAll(userId);
        await consoleSessions.endAll({ kind: 'customer', userId }, sessionId);
      });
      noteChange(request, { after: { has_new_password: true } });
      return reply.code(204).send(null);
    },
  );
}

function ownerOf({ session }: FastifyRequest): SessionOwner {
  return session!;
}
