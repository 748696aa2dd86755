import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { invalidRequest } from '../server/problems.ts';
import { found, Id, LastUsedAt, Nullable, PathId, parseId, Timestamp } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';
import { existingPartner, PartnerParams, partnerPath } from './partner-path.ts';

const tokensPath = `${partnerPath}/user-tokens`;
const CustomerId = Id('The customer the partner acts for.');
const ExpiresAt = Nullable(Timestamp, { description: 'Null if the token does not expire.' });

const tenYearsInSeconds = 10 * 365 * 24 * 60 * 60;

const ListQuery = Type.Object(
  pageQuery({ records: 'user tokens', id: 'user_token_id', byDefault: null }),
  { additionalProperties: false },
);

export function registerAdminUserTokens(
  app: App,
  records: Records,
  auth: Auth,
  sendList: SendList,
): void {
  app.post(
    tokensPath,
    operatorRoute(auth, {
      operationId: 'createUserToken',
      summary: 'Create a user token',
      description:
        'Lets the partner act for the customer: the partner sends it as `x-user-token` along with its API key. The token is returned only in this response; the service stores only its hash.',
      params: PartnerParams,
      body: Type.Object(
        {
          customer_id: CustomerId,
          expires_in: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: tenYearsInSeconds,
              description:
                'Lifetime in seconds, at most ten years of 365 days. If omitted, the token is valid until it is revoked.',
              examples: [86_400],
            }),
          ),
        },
        { additionalProperties: false },
      ),
      response: {
        201: Type.Object(
          { user_token: Type.String({ examples: ['trib_user_…'] }), expires_at: ExpiresAt },
          { description: 'Created.' },
        ),
      },
    }),
    async (request, reply) => {
      const { partnerId } = await existingPartner(records, request.params);
      const { customer_id, expires_in } = request.body;
      if (!(await records.customers.find(customer_id))) {
        throw invalidRequest([{ pointer: '/customer_id', message: 'is not the id of a customer' }]);
      }
      const created = await records.userTokens.create(partnerId, customer_id, expires_in ?? null);
      noteChange(request, { after: { customer_id, expires_at: created.expiresAt } });
      reply.code(201);
      return {
        user_token: created.userToken,
        expires_at: created.expiresAt?.toISOString() ?? null,
      };
    },
  );

  app.get(
    tokensPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listUserTokens',
        summary: 'List user tokens',
        description: 'Without the tokens themselves.',
        params: PartnerParams,
        querystring: ListQuery,
        response: {
          200: Type.Array(
            Type.Object({
              user_token_id: Id('Identifies the token when you revoke it.'),
              customer_id: CustomerId,
              created_at: Timestamp,
              expires_at: ExpiresAt,
              last_used_at: LastUsedAt,
              revoked_at: Nullable(Timestamp),
            }),
            { headers: pageHeaders },
          ),
        },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) => {
      const { partnerId } = await existingPartner(records, request.params);
      return sendList(request, reply, {
        read: (page) => records.userTokens.list(partnerId, page),
        row: (token) => ({
          user_token_id: token.userTokenId,
          customer_id: token.customerId,
          created_at: token.createdAt.toISOString(),
          expires_at: token.expiresAt?.toISOString() ?? null,
          last_used_at: token.lastUsedAt?.toISOString() ?? null,
          revoked_at: token.revokedAt?.toISOString() ?? null,
        }),
        key: ({ userTokenId }) => userTokenId,
        byDefault: null,
      });
    },
  );

  app.delete(
    `${tokensPath}/:user_token_id`,
    operatorRoute(auth, {
      operationId: 'revokeUserToken',
      summary: 'Revoke a user token',
      description: 'The token is refused from the next request on.',
      params: Type.Object({
        ...PartnerParams.properties,
        user_token_id: PathId("One of the partner's user tokens."),
      }),
      response: { 204: Type.Null({ description: 'Revoked.' }) },
    }),
    async (request, reply) => {
      const partnerId = parseId(request.params.partner_id, 'user token');
      const userTokenId = parseId(request.params.user_token_id, 'user token');
      found(await records.userTokens.revoke(partnerId, userTokenId), 'user token');
      noteChange(request, { after: { user_token_id: userTokenId, is_revoked: true } });
      return reply.code(204).send(null);
    },
  );
}
