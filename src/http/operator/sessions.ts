import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { ListedSessionSchema, listedSessionOnTheWire } from '../console/session-wire.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, PathId, parseId } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';

const sessionsPath = '/admin/v1/sessions';

export function registerAdminSessions(
  app: App,
  records: Records,
  auth: Auth,
  adminToken: AdminToken,
): void {
  app.get(
    sessionsPath,
    operatorRoute(auth, {
      operationId: 'listSessions',
      summary: 'List sessions',
      description: 'All console sessions, newest first.',
      response: { 200: Type.Array(ListedSessionSchema) },
    }),
    async (request) => {
      const sessions = await records.consoleSessions.list(adminToken.hash, null);
      const current = request.session?.sessionId;
      return sessions.map((session) => listedSessionOnTheWire(session, current));
    },
  );

  app.delete(
    `${sessionsPath}/:session_id`,
    operatorRoute(auth, {
      operationId: 'endSession',
      summary: 'End a session',
      description: 'The session is refused from the next request on.',
      params: Type.Object({ session_id: PathId('The session.') }),
      response: { 204: Type.Null({ description: 'Ended.' }) },
    }),
    async (request, reply) => {
      const sessionId = parseId(request.params.session_id, 'session');
      found(await records.consoleSessions.end(sessionId, null), 'session');
      return reply.code(204).send(null);
    },
  );
}
