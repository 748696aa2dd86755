import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, Nullable, Timestamp } from '../server/wire.ts';
import { signedInUser } from './signed-in-user.ts';

const tags = ['Console'];
const security = [{ session: [] }];

const ConnectedApp = Type.Object({
  client_id: Type.String({ description: 'The app.', examples: ['app_…'] }),
  app_name: Type.String({ examples: ['Audience Loader'] }),
  partner_name: Type.String({ description: 'Whose app it is.', examples: ['acme'] }),
  grants: Type.Integer({
    minimum: 1,
    description: 'How often it was allowed and still acts by that: once for each place it runs in.',
    examples: [1],
  }),
  allowed_at: Type.String({ ...Timestamp, description: 'The last time.' }),
  last_used_at: Nullable(Timestamp, { description: 'To the minute; null if never.' }),
  expires_at: Type.String({
    ...Timestamp,
    description: 'Unless the app asks for new tokens before.',
  }),
});

/** Which apps act for whoever is signed in. */
export function registerConsoleApps(app: App, records: Records, auth: Auth): void {
  app.get(
    '/v1/console/apps',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'listConnectedApps',
        summary: 'List the apps that act for you',
        description: "For customers' users. The one that was allowed last comes first.",
        response: { 200: Type.Array(ConnectedApp) },
      },
    },
    async (request) => {
      const { userId } = signedInUser(request);
      const apps = await records.oauthGrants.appsOf(userId);
      return apps.map((each) => ({
        client_id: each.clientId,
        app_name: each.appName,
        partner_name: each.partnerName,
        grants: each.grants,
        allowed_at: each.allowedAt.toISOString(),
        last_used_at: each.lastUsedAt?.toISOString() ?? null,
        expires_at: each.expiresAt.toISOString(),
      }));
    },
  );

  app.delete(
    '/v1/console/apps/:client_id',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'disconnectApp',
        summary: 'Stop an app from acting for you',
        description:
          'Wherever it runs. All tokens that it has for you are refused from the next request on.',
        params: Type.Object({
          client_id: Type.String({ description: 'Which app.', examples: ['app_…'] }),
        }),
        response: { 204: Type.Null({ description: 'Stopped.' }) },
      },
    },
    async (request, reply) => {
      const { userId } = signedInUser(request);
      const isStopped = await records.oauthGrants.revokeApp(request.params.client_id, userId);
      found(isStopped || undefined, 'app that acts for you');
      return reply.code(204).send(null);
    },
  );
}
