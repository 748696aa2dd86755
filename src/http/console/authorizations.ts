import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, Timestamp } from '../server/wire.ts';
import { signedInUser } from './signed-in-user.ts';

const tags = ['Console'];
const security = [{ session: [] }];
const what = 'authorization for this browser';

const AuthorizationPath = Type.Object({
  uid: Type.String({
    description: 'Which authorization: the end of the address that the app sent the browser to.',
    examples: ['yGm2SmB4uWZlTq0pV4bPm'],
  }),
});

/** The page on which a user lets an app in, or does not. */
export function registerConsoleAuthorizations(
  app: App,
  records: Records,
  auth: Auth,
  server: AuthorizationServer,
): void {
  app.get(
    '/v1/console/authorizations/:uid',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'getAuthorization',
        summary: 'What an app asks for',
        description:
          "For customers' users. An app of a partner has sent the browser here, and waits to be let act for the user. Only the browser that it sent finds it.",
        params: AuthorizationPath,
        response: {
          200: Type.Object({
            app_name: Type.String({ examples: ['Audience Loader'] }),
            partner_name: Type.String({ examples: ['acme'] }),
            customer_name: Type.String({
              description: 'On whose behalf the app would act.',
              examples: ['Harbor Coffee'],
            }),
            redirect_host: Type.String({
              description: 'Where the browser goes afterwards.',
              examples: ['app.acme.example'],
            }),
            scopes: Type.Array(Type.Enum(['audiences']), {
              description: '`audiences`: load, see and clear the audiences of the customer.',
              examples: [['audiences']],
            }),
            expires_at: Timestamp,
          }),
        },
      },
    },
    async (request, reply) => {
      const { customerName } = signedInUser(request);
      const pending = await pendingOf(request.params.uid, request);
      const partner = await records.partners.find(pending.app.partnerId);
      reply.header('cache-control', 'no-store');
      return {
        app_name: pending.app.name,
        partner_name: partner!.name,
        customer_name: customerName,
        redirect_host: new URL(pending.redirectUri).host,
        scopes: pending.scopes.map(() => 'audiences' as const),
        expires_at: pending.expiresAt.toISOString(),
      };
    },
  );

  app.post(
    '/v1/console/authorizations/:uid',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'decideAuthorization',
        summary: 'Let an app in, or not',
        params: AuthorizationPath,
        body: Type.Object(
          { allow: Type.Boolean({ examples: [true] }) },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({
            redirect_to: Type.String({
              description: 'Where the browser goes now, and from there back to the app.',
              examples: ['http://localhost:8080/oauth/authorize/yGm2SmB4uWZlTq0pV4bPm'],
            }),
          }),
        },
      },
    },
    async (request, reply) => {
      const { userId } = signedInUser(request);
      const pending = await pendingOf(request.params.uid, request);
      reply.header('cache-control', 'no-store');
      return {
        redirect_to: request.body.allow ? await pending.allow(userId) : await pending.refuse(),
      };
    },
  );

  async function pendingOf(uid: string, request: FastifyRequest) {
    return found(await server.pending(uid, request), what);
  }
}
