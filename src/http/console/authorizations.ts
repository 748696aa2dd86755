import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { AuthorizationServer } from '../oauth/authorization-server.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { found, Timestamp } from '../server/wire.ts';
import { sessionRoute } from './session-route.ts';
import { signedInUser } from './signed-in-user.ts';

const authorizationPath = '/v1/console/authorizations/:uid';

const AuthorizationParams = Type.Object({
  uid: Type.String({
    description: 'The authorization: the last part of the address of the consent page.',
    examples: ['yGm2SmB4uWZlTq0pV4bPm'],
  }),
});

/** The consent page, where a user allows or refuses an app. */
export function registerConsoleAuthorizations(
  app: App,
  records: Records,
  auth: Auth,
  server: AuthorizationServer,
): void {
  app.get(
    authorizationPath,
    sessionRoute(auth, {
      operationId: 'getAuthorization',
      summary: 'Get an authorization request',
      description:
        "For customers' users. A partner's app has sent the browser here to ask whether it may act for the user. Only that browser can see the request.",
      params: AuthorizationParams,
      response: {
        200: Type.Object({
          app_name: Type.String({ examples: ['Audience Loader'] }),
          partner_name: Type.String({ examples: ['acme'] }),
          customer_name: Type.String({
            description: 'The customer the app would act for.',
            examples: ['Harbor Coffee'],
          }),
          redirect_host: Type.String({
            description: 'The host the browser is sent to afterwards.',
            examples: ['app.acme.example'],
          }),
          scopes: Type.Array(Type.Enum(['audiences']), {
            description: '`audiences`: load, see and clear the audiences of the customer.',
            examples: [['audiences']],
          }),
          expires_at: Timestamp,
        }),
      },
    }),
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
    authorizationPath,
    sessionRoute(auth, {
      operationId: 'decideAuthorization',
      summary: 'Allow or refuse an app',
      params: AuthorizationParams,
      body: Type.Object(
        { allow: Type.Boolean({ examples: [true] }) },
        { additionalProperties: false },
      ),
      response: {
        200: Type.Object({
          redirect_to: Type.String({
            description: 'Send the browser here. It is then redirected to the app.',
            examples: ['http://localhost:8080/oauth/authorize/yGm2SmB4uWZlTq0pV4bPm'],
          }),
        }),
      },
    }),
    async (request, reply) => {
      const { userId } = signedInUser(request);
      const pending = await pendingOf(request.params.uid, request);
      const { allow } = request.body;
      noteChange(request, { after: { client_id: pending.app.clientId, allow } });
      reply.header('cache-control', 'no-store');
      return {
        redirect_to: allow ? await pending.allow(userId) : await pending.refuse(),
      };
    },
  );

  async function pendingOf(uid: string, request: FastifyRequest) {
    return found(await server.pending(uid, request), 'authorization for this browser');
  }
}
