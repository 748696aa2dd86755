import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { ListedSessionSchema, listedSessionOnTheWire } from '../console/session-wire.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, PathId, parseId } from '../server/wire.ts';

const tags = ['Operator'];
const security = [{ adminToken: [] }];

export function registerAdminSessions(
  app: App,
  records: Records,
  auth: Auth,
  adminToken: AdminToken,
): void {
  app.get(
    '/admin/v1/sessions',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listSessions',
        summary: 'List sessions',
        description: 'Who is signed in to the console, newest first.',
        response: { 200: Type.Array(ListedSessionSchema) },
      },
    },
    async (request) => {
      const sessions = await records.consoleSessions.list(adminToken.hash, null);
      const current = request.session?.sessionId;
      return sessions.map((session) => listedSessionOnTheWire(session, current));
    },
  );

  app.delete(
    '/admin/v1/sessions/:session_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'endSession',
        summary: 'End a session',
        description: 'It is refused from the next request on.',
        params: Type.Object({ session_id: PathId('Which session.') }),
        response: { 204: Type.Null({ description: 'Ended.' }) },
      },
    },
    async (request, reply) => {
      const sessionId = parseId(request.params.session_id, 'session');
      found((await records.consoleSessions.end(sessionId, null)) || undefined, 'session');
      return reply.code(204).send(null);
    },
  );
}
