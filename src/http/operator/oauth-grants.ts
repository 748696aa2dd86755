import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { found, Id, LastUsedAt, PathId, parseId, Timestamp } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';

const grantsPath = '/admin/v1/oauth-grants';
const defaultLimit = 100;

const GrantQuery = Type.Object(
  {
    partner_id: Type.Optional(Id("Only grants to this partner's apps.")),
    customer_id: Type.Optional(Id("Only grants from this customer's users.")),
    user_id: Type.Optional(Id('Only grants from this user.')),
    ...pageQuery({ records: 'grants', id: 'grant_id', byDefault: defaultLimit }),
  },
  { additionalProperties: false },
);

export function registerAdminOauthGrants(
  app: App,
  records: Records,
  auth: Auth,
  sendList: SendList,
): void {
  app.get(
    grantsPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listOauthGrants',
        summary: 'List grants of OAuth apps',
        description: 'Which apps may act for which users, newest first.',
        querystring: GrantQuery,
        response: {
          200: Type.Array(
            Type.Object({
              grant_id: Id('Identifies the grant when you revoke it.'),
              app_name: Type.String({ examples: ['Audience Loader'] }),
              partner_name: Type.String({
                description: 'The partner that owns the app.',
                examples: ['acme'],
              }),
              created_at: Timestamp,
              last_used_at: LastUsedAt,
              expires_at: Type.String({
                ...Timestamp,
                description: 'When the grant expires unless the app gets new tokens before then.',
              }),
              client_id: Type.String({ description: 'The app.', examples: ['app_…'] }),
              partner_id: Id('The partner that owns the app.'),
              user_id: Id('The user the app acts for.'),
              email: Type.String({ examples: ['ada@harbor.example'] }),
              customer_id: Id("The user's customer."),
              customer_name: Type.String({ examples: ['Harbor Coffee'] }),
            }),
            { headers: pageHeaders },
          ),
        },
      }),
      preValidation: parsePage('partner_id', 'customer_id', 'user_id'),
    },
    async (request, reply) => {
      const { partner_id, customer_id, user_id } = request.query;
      const filter = { partnerId: partner_id, customerId: customer_id, userId: user_id };
      return sendList(request, reply, {
        read: (page) => records.oauthGrants.list(filter, page),
        row: (grant) => ({
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
        }),
        key: ({ grantId }) => grantId,
        byDefault: defaultLimit,
      });
    },
  );

  app.delete(
    `${grantsPath}/:grant_id`,
    operatorRoute(auth, {
      operationId: 'revokeOauthGrant',
      summary: 'Revoke a grant of an OAuth app',
      description: 'Its tokens are refused from the next request on.',
      params: Type.Object({ grant_id: PathId('The grant.') }),
      response: { 204: Type.Null({ description: 'Revoked.' }) },
    }),
    async (request, reply) => {
      const grantId = parseId(request.params.grant_id, 'grant');
      found(await records.oauthGrants.revoke(grantId), 'grant');
      noteChange(request, { before: { grant_id: grantId } });
      return reply.code(204).send(null);
    },
  );
}
