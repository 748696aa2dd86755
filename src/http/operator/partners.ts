import { Type } from 'typebox';
import type { Partner } from '../../records/access/partners.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, Id, nameOf, PathId, parseId, Timestamp } from '../server/wire.ts';

const tags = ['Operator'];
const security = [{ adminToken: [] }];

const PartnerMembers = {
  partner_id: Id('The partner.'),
  name: Type.String({ examples: ['acme'] }),
  bucket: Type.String({ description: 'The shared bucket.', examples: ['tributary'] }),
  prefix: Type.String({
    description: "What the keys of the partner's objects begin with. Ends in `/`.",
    examples: ['partner-1/'],
  }),
};

const PartnerPath = Type.Object({ partner_id: PathId('Which partner.') });

export function registerAdminPartners(
  app: App,
  records: Records,
  auth: Auth,
  bucket: string,
): void {
  app.post(
    '/admin/v1/partners',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'createPartner',
        summary: 'Create a partner',
        body: Type.Object(
          { name: nameOf('Who the partner is; need not be unique', 'acme') },
          { additionalProperties: false },
        ),
        response: { 201: Type.Object(PartnerMembers, { description: 'Created.' }) },
      },
    },
    async (request, reply) => {
      const partner = await records.partners.create(request.body.name);
      reply.code(201);
      return onTheWire(partner);
    },
  );

  app.get(
    '/admin/v1/partners',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listPartners',
        summary: 'List partners',
        response: { 200: Type.Array(Type.Object({ ...PartnerMembers, created_at: Timestamp })) },
      },
    },
    async () => {
      const partners = await records.partners.list();
      return partners.map((partner) => ({
        ...onTheWire(partner),
        created_at: partner.createdAt.toISOString(),
      }));
    },
  );

  app.post(
    '/admin/v1/partners/:partner_id/api-keys',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description: 'The key is shown this once; only a hash of it is stored.',
        params: PartnerPath,
        body: Type.Object(
          {
            label: Type.Optional(nameOf('To tell the keys of a partner apart', 'nightly loader')),
          },
          { additionalProperties: false },
        ),
        response: {
          201: Type.Object(
            {
              api_key_id: Id('For revoking it.'),
              api_key: Type.String({ examples: ['trib_key_…'] }),
            },
            { description: 'Created.' },
          ),
        },
      },
    },
    async (request, reply) => {
      const partnerId = await existingPartner(request.params.partner_id);
      const key = await records.apiKeys.create(partnerId, request.body.label ?? '');
      reply.code(201);
      return { api_key_id: key.apiKeyId, api_key: key.apiKey };
    },
  );

  app.get(
    '/admin/v1/partners/:partner_id/api-keys',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listApiKeys',
        summary: 'List API keys',
        description: 'Without the keys themselves.',
        params: PartnerPath,
        response: {
          200: Type.Array(
            Type.Object({
              api_key_id: Id('For revoking it.'),
              label: Type.String(),
              created_at: Timestamp,
              last_used_at: Type.Union([Timestamp, Type.Null()], {
                description: 'To the minute; null if never.',
              }),
              revoked_at: Type.Union([Timestamp, Type.Null()]),
            }),
          ),
        },
      },
    },
    async (request) => {
      const partnerId = await existingPartner(request.params.partner_id);
      const keys = await records.apiKeys.list(partnerId);
      return keys.map((key) => ({
        api_key_id: key.apiKeyId,
        label: key.label,
        created_at: key.createdAt.toISOString(),
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
        revoked_at: key.revokedAt?.toISOString() ?? null,
      }));
    },
  );

  app.delete(
    '/admin/v1/partners/:partner_id/api-keys/:api_key_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description:
          'It is refused from the next request on, and so are the sessions of the console that were opened with it. An upload link that it was given is good until it expires, for 15 minutes at most.',
        params: Type.Object({
          partner_id: PathId('Which partner.'),
          api_key_id: PathId('Which of its keys.'),
        }),
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
    },
    async (request, reply) => {
      const partnerId = parseId(request.params.partner_id, 'API key');
      const apiKeyId = parseId(request.params.api_key_id, 'API key');
      const revoked = await records.apiKeys.revoke(partnerId, apiKeyId);
      found(revoked || undefined, 'API key');
      return reply.code(204).send(null);
    },
  );

  async function existingPartner(text: string): Promise<number> {
    const partner = await records.partners.find(parseId(text, 'partner'));
    return found(partner, 'partner').partnerId;
  }

  function onTheWire(partner: Partner) {
    return {
      partner_id: partner.partnerId,
      name: partner.name,
      bucket,
      prefix: partner.prefix,
    };
  }
}
