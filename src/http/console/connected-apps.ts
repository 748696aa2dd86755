import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { found, Id, LastUsedAt, Timestamp } from '../server/wire.ts';
import { sessionRoute } from './session-route.ts';
import { signedInUser } from './signed-in-user.ts';

const ConnectedApp = Type.Object({
  client_id: Type.String({ description: 'The app.', examples: ['app_…'] }),
  app_name: Type.String({ examples: ['Audience Loader'] }),
  partner_name: Type.String({ description: 'The partner that owns the app.', examples: ['acme'] }),
  grants: Type.Integer({
    minimum: 1,
    description: 'Grants in force: one for each time you allowed the app.',
    examples: [1],
  }),
  grant_id: Id('The latest grant.'),
  allowed_at: Type.String({ ...Timestamp, description: 'When you last allowed the app.' }),
  last_used_at: LastUsedAt,
  expires_at: Type.String({
    ...Timestamp,
    description: 'When access ends unless the app gets new tokens before then.',
  }),
});

const byDefault = limits.pageRecords.most;
const ListQuery = Type.Object(pageQuery({ records: 'apps', id: 'grant_id', byDefault }), {
  additionalProperties: false,
});

/** The apps that act for the signed-in user. */
export function registerConsoleApps(
  app: App,
  records: Records,
  auth: Auth,
  sendList: SendList,
): void {
  app.get(
    '/v1/console/apps',
    {
      ...sessionRoute(auth, {
        operationId: 'listConnectedApps',
        summary: 'List the apps that act for you',
        description:
          "For customers' users. The most recently allowed app comes first. Use `limit` and `after` to page through them. Unknown parameters are rejected.",
        querystring: ListQuery,
        response: { 200: Type.Array(ConnectedApp, { headers: pageHeaders }) },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { userId } = signedInUser(request);
      return sendList(request, reply, {
        read: (page) => records.oauthGrants.appsOf(userId, page),
        row: (each) => ({
          client_id: each.clientId,
          app_name: each.appName,
          partner_name: each.partnerName,
          grants: each.grants,
          grant_id: each.grantId,
          allowed_at: each.allowedAt.toISOString(),
          last_used_at: each.lastUsedAt?.toISOString() ?? null,
          expires_at: each.expiresAt.toISOString(),
        }),
        key: ({ grantId }) => grantId,
        byDefault,
      });
    },
  );

  app.delete(
    '/v1/console/apps/:client_id',
    sessionRoute(auth, {
      operationId: 'disconnectApp',
      summary: 'Stop an app from acting for you',
      description:
        'Revokes every grant you gave the app. Its tokens for you are refused from the next request on.',
      params: Type.Object({
        client_id: Type.String({ description: 'The app.', examples: ['app_…'] }),
      }),
      response: { 204: Type.Null({ description: 'Stopped.' }) },
    }),
    async (request, reply) => {
      const { userId } = signedInUser(request);
      const revoked = await records.oauthGrants.revokeApp(request.params.client_id, userId);
      found(revoked, 'connected app');
      noteChange(request, { before: { client_id: request.params.client_id } });
      return reply.code(204).send(null);
    },
  );
}
