import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { ListedSessionSchema, listedSessionOnTheWire } from '../console/session-wire.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { AdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { found, PathId, parseId } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';

const sessionsPath = '/admin/v1/sessions';

const SessionsQuery = Type.Object(
  pageQuery({ records: 'sessions', id: 'session_id', byDefault: null }),
  { additionalProperties: false },
);

export function registerAdminSessions(
  app: App,
  records: Records,
  auth: Auth,
  adminToken: AdminToken,
  sendList: SendList,
): void {
  app.get(
    sessionsPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listSessions',
        summary: 'List sessions',
        description: 'All console sessions, newest first.',
        querystring: SessionsQuery,
        response: { 200: Type.Array(ListedSessionSchema, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) =>
      sendList(request, reply, {
        read: (page) => records.consoleSessions.list(adminToken.configured, null, page),
        row: (session) => listedSessionOnTheWire(session, request.session?.sessionId),
        key: ({ sessionId }) => sessionId,
        byDefault: null,
      }),
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
      noteChange(request, { before: { session_id: sessionId } });
      return reply.code(204).send(null);
    },
  );
}
