import { Type } from 'typebox';
import type { Records } from '../records/records.ts';
import type { App } from './app-types.ts';
import type { Auth } from './auth.ts';
import { GrantMembers, grantOnTheWire } from './grant-wire.ts';
import { signedInUser } from './signed-in-user.ts';
import { found, PathId, parseId } from './wire.ts';

const tags = ['Console'];
const security = [{ session: [] }];

/** Which apps act for whoever is signed in. */
export function registerConsoleGrants(app: App, records: Records, auth: Auth): void {
  app.get(
    '/v1/console/grants',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'listOwnGrants',
        summary: 'List the apps that act for you',
        description: "For customers' users. Newest first.",
        response: { 200: Type.Array(Type.Object(GrantMembers)) },
      },
    },
    async (request) => {
      const { userId } = signedInUser(request);
      const everything = { before: null, limit: null };
      const grants = await records.oauthGrants.list({ userId }, everything);
      return grants.map(grantOnTheWire);
    },
  );

  app.delete(
    '/v1/console/grants/:grant_id',
    {
      onRequest: auth.session,
      schema: {
        tags,
        security,
        operationId: 'revokeOwnGrant',
        summary: 'Stop an app from acting for you',
        description: 'Its tokens are refused from the next request on.',
        params: Type.Object({ grant_id: PathId('Which grant.') }),
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
    },
    async (request, reply) => {
      const { userId } = signedInUser(request);
      const grantId = parseId(request.params.grant_id, 'grant');
      found((await records.oauthGrants.revoke(grantId, userId)) || undefined, 'grant');
      return reply.code(204).send(null);
    },
  );
}
