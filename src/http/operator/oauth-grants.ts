import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { readNumbers } from '../server/query-numbers.ts';
import { found, Id, Nullable, PathId, parseId, Timestamp } from '../server/wire.ts';

const tags = ['Operator'];
const security = [{ adminToken: [] }];
const usualLimit = 100;
const parameters = ['partner_id', 'customer_id', 'user_id', 'limit', 'before'];

const GrantQuery = Type.Object(
  {
    partner_id: Type.Optional(Id("Only of this partner's apps.")),
    customer_id: Type.Optional(Id("Only for this customer's users.")),
    user_id: Type.Optional(Id('Only for this user.')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: `How many at most; ${usualLimit} unless given.`,
        examples: [usualLimit],
      }),
    ),
    before: Type.Optional(
      Id('Only those with a smaller grant_id: the last one of the page before.'),
    ),
  },
  { additionalProperties: false },
);

export function registerAdminOauthGrants(app: App, records: Records, auth: Auth): void {
  app.get(
    '/admin/v1/oauth-grants',
    {
      onRequest: auth.operator,
      preValidation: readNumbers(...parameters),
      schema: {
        tags,
        security,
        operationId: 'listOauthGrants',
        summary: 'List grants of OAuth apps',
        description: 'Which apps act for which users, newest first.',
        querystring: GrantQuery,
        response: {
          200: Type.Array(
            Type.Object({
              grant_id: Id('For revoking it.'),
              app_name: Type.String({ examples: ['Audience Loader'] }),
              partner_name: Type.String({ description: 'Whose app it is.', examples: ['acme'] }),
              created_at: Timestamp,
              last_used_at: Nullable(Timestamp, { description: 'To the minute; null if never.' }),
              expires_at: Type.String({
                ...Timestamp,
                description: 'Unless the app asks for new tokens before.',
              }),
              client_id: Type.String({ description: 'The app.', examples: ['app_…'] }),
              partner_id: Id('Whose app it is.'),
              user_id: Id('For whom it acts.'),
              email: Type.String({ examples: ['ada@harbor.example'] }),
              customer_id: Id('On whose behalf.'),
              customer_name: Type.String({ examples: ['Harbor Coffee'] }),
            }),
          ),
        },
      },
    },
    async (request) => {
      const { partner_id, customer_id, user_id, before, limit } = request.query;
      const filter = { partnerId: partner_id, customerId: customer_id, userId: user_id };
      const page = { before: before ?? null, limit: limit ?? usualLimit };
      const grants = await records.oauthGrants.list(filter, page);
      return grants.map((grant) => ({
        grant_id: grant.grantId,
        app_name: grant.appName,
        partner_name: grant.partnerName,
        created_at: grant.createdAt.toISOString(),
        last_used_at: grant.lastUsedAt?.toISOString() ?? null,
        expires_at: grant.expiresAt.toISOString(),
        client_id: grant.clientId,
        partner_id: grant.partnerId,
        user_id: grant.userId,
        email: grant.email,
        customer_id: grant.customerId,
        customer_name: grant.customerName,
      }));
    },
  );

  app.delete(
    '/admin/v1/oauth-grants/:grant_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'revokeOauthGrant',
        summary: 'Revoke a grant of an OAuth app',
        description: 'Its tokens are refused from the next request on.',
        params: Type.Object({ grant_id: PathId('Which grant.') }),
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
    },
    async (request, reply) => {
      const grantId = parseId(request.params.grant_id, 'grant');
      found((await records.oauthGrants.revoke(grantId)) || undefined, 'grant');
      return reply.code(204).send(null);
    },
  );
}
