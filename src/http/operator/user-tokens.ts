import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { invalidRequest } from '../server/problems.ts';
import { found, Id, Nullable, PathId, parseId, Timestamp } from '../server/wire.ts';

const tags = ['Operator'];
const security = [{ adminToken: [] }];
const PartnerPath = Type.Object({ partner_id: PathId('Which partner.') });
const ExpiresAt = Nullable(Timestamp, { description: 'Null: it does not expire.' });

const tenYearsInSeconds = 10 * 365 * 24 * 60 * 60;

export function registerAdminUserTokens(app: App, records: Records, auth: Auth): void {
  app.post(
    '/admin/v1/partners/:partner_id/user-tokens',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'createUserToken',
        summary: 'Create a user token',
        description:
          "Lets the partner act for the customer: sent as `x-user-token` with the partner's own API key. The token is shown this once; only a hash of it is stored.",
        params: PartnerPath,
        body: Type.Object(
          {
            customer_id: Id('On whose behalf.'),
            expires_in: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: tenYearsInSeconds,
                description:
                  'For how many seconds it is valid, ten years of 365 days at most. Omitted: until it is revoked.',
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
      },
    },
    async (request, reply) => {
      const partnerId = await existingPartner(request.params.partner_id);
      const { customer_id, expires_in } = request.body;
      if (!(await records.customers.find(customer_id))) {
        throw invalidRequest([{ pointer: '/customer_id', message: 'is not the id of a customer' }]);
      }
      const created = await records.userTokens.create(partnerId, customer_id, expires_in ?? null);
      reply.code(201);
      return {
        user_token: created.userToken,
        expires_at: created.expiresAt?.toISOString() ?? null,
      };
    },
  );

  app.get(
    '/admin/v1/partners/:partner_id/user-tokens',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listUserTokens',
        summary: 'List user tokens',
        description: 'Without the tokens themselves.',
        params: PartnerPath,
        response: {
          200: Type.Array(
            Type.Object({
              user_token_id: Id('For revoking it.'),
              customer_id: Id('On whose behalf.'),
              created_at: Timestamp,
              expires_at: ExpiresAt,
              last_used_at: Nullable(Timestamp, { description: 'To the minute; null if never.' }),
              revoked_at: Nullable(Timestamp),
            }),
          ),
        },
      },
    },
    async (request) => {
      const partnerId = await existingPartner(request.params.partner_id);
      const tokens = await records.userTokens.list(partnerId);
      return tokens.map((token) => ({
        user_token_id: token.userTokenId,
        customer_id: token.customerId,
        created_at: token.createdAt.toISOString(),
        expires_at: token.expiresAt?.toISOString() ?? null,
        last_used_at: token.lastUsedAt?.toISOString() ?? null,
        revoked_at: token.revokedAt?.toISOString() ?? null,
      }));
    },
  );

  app.delete(
    '/admin/v1/partners/:partner_id/user-tokens/:user_token_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'revokeUserToken',
        summary: 'Revoke a user token',
        description: 'It is refused from the next request on.',
        params: Type.Object({
          partner_id: PathId('Which partner.'),
          user_token_id: PathId('Which of its user tokens.'),
        }),
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
    },
    async (request, reply) => {
      const partnerId = parseId(request.params.partner_id, 'user token');
      const userTokenId = parseId(request.params.user_token_id, 'user token');
      const revoked = await records.userTokens.revoke(partnerId, userTokenId);
      found(revoked || undefined, 'user token');
      return reply.code(204).send(null);
    },
  );

  async function existingPartner(text: string): Promise<number> {
    const partner = await records.partners.find(parseId(text, 'partner'));
    return found(partner, 'partner').partnerId;
  }
}
