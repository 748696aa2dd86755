import { Type } from 'typebox';
import { disclosureModes } from '../../domain/disclosure/disclosure.ts';
import type { Partner } from '../../records/access/partners.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, pageQuery, parsePage } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import {
  DisabledAt,
  DisplayName,
  found,
  Id,
  LastUsedAt,
  Nullable,
  PathId,
  parseId,
  Timestamp,
} from '../server/wire.ts';
import { LookAlikeWarnings, lookAlikeWarnings } from './look-alikes.ts';
import { operatorRoute } from './operator-route.ts';
import { existingPartner, PartnerParams, partnerPath, partnersPath } from './partner-path.ts';
import { refuseQuotaElsewhere, StorageQuota } from './partner-storage.ts';
import type { SharedStorage } from './storage-credentials.ts';

const keysPath = `${partnerPath}/api-keys`;
const disclosurePath = `${partnerPath}/disclosure`;

const PartnerMembers = {
  partner_id: Id('The partner.'),
  name: Type.String({ examples: ['acme'] }),
  bucket: Type.String({ description: 'The shared bucket.', examples: ['tributary'] }),
  prefix: Type.String({
    description: "The keys of the partner's objects begin with it. Ends in `/`.",
    examples: ['partner-1/'],
  }),
};

const Disclosure = Type.Object({
  mode: Nullable(Type.Enum([...disclosureModes]), {
    description:
      'How the partner, and the customers that it loads audiences for, see counts that depend on the data of other partners: with noise, or exactly. Null: as `TRIBUTARY_DISCLOSURE` says.',
    examples: ['exact'],
  }),
});

const ApiKeyId = Id('Identifies the key when you revoke it.');

const PartnersQuery = Type.Object(
  pageQuery({ records: 'partners', id: 'partner_id', byDefault: null }),
  { additionalProperties: false },
);

const KeysQuery = Type.Object(
  pageQuery({ records: 'API keys', id: 'api_key_id', byDefault: null }),
  { additionalProperties: false },
);

export function registerAdminPartners(
  app: App,
  records: Records,
  auth: Auth,
  storage: SharedStorage,
  sendList: SendList,
): void {
  const { bucket } = storage;

  app.post(
    partnersPath,
    operatorRoute(auth, {
      operationId: 'createPartner',
      summary: 'Create a partner',
      body: Type.Object(
        {
          name: DisplayName('Name of the partner; need not be unique', 'acme'),
          storage_quota: Type.Optional(StorageQuota),
        },
        { additionalProperties: false },
      ),
      response: {
        201: Type.Object(
          { ...PartnerMembers, warnings: LookAlikeWarnings },
          { description: 'Created.' },
        ),
      },
    }),
    async (request, reply) => {
      const { name, storage_quota: quota = null } = request.body;
      refuseQuotaElsewhere(storage, '/storage_quota', quota);
      const partner = await records.partners.create(name, quota);
      noteChange(request, {
        after: { partner_id: partner.partnerId, name: partner.name, storage_quota: quota },
      });
      reply.code(201);
      const created = { kind: 'partner', id: partner.partnerId, name: partner.name } as const;
      const warnings = await lookAlikeWarnings(records, created);
      return { ...partnerOnTheWire(partner), ...warnings };
    },
  );

  app.get(
    partnersPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listPartners',
        summary: 'List partners',
        querystring: PartnersQuery,
        response: {
          200: Type.Array(
            Type.Object({ ...PartnerMembers, created_at: Timestamp, disabled_at: DisabledAt }),
            {
              headers: pageHeaders,
            },
          ),
        },
      }),
      preValidation: parsePage(),
    },
    async (request, reply) =>
      sendList(request, reply, {
        read: (page) => records.partners.list(page),
        row: (partner) => ({
          ...partnerOnTheWire(partner),
          created_at: partner.createdAt.toISOString(),
          disabled_at: partner.disabledAt?.toISOString() ?? null,
        }),
        key: ({ partnerId }) => partnerId,
        byDefault: null,
      }),
  );

  app.get(
    disclosurePath,
    operatorRoute(auth, {
      operationId: 'getPartnerDisclosure',
      summary: "What a partner's reports reveal",
      params: PartnerParams,
      response: { 200: Disclosure },
    }),
    async (request) => {
      const { disclosure: mode } = await existingPartner(records, request.params);
      return { mode };
    },
  );

  app.put(
    disclosurePath,
    operatorRoute(auth, {
      operationId: 'setPartnerDisclosure',
      summary: "Set what a partner's reports reveal",
      description:
        'Applies to the next request. Reports that wait for the next day are computed at once if the mode becomes `exact`.',
      params: PartnerParams,
      body: Type.Object(Disclosure.properties, { additionalProperties: false }),
      response: { 200: Disclosure },
    }),
    async (request) => {
      const { partnerId, disclosure: before } = await existingPartner(records, request.params);
      const { mode } = request.body;
      await records.partners.setDisclosure(partnerId, mode);
      noteChange(request, { before: { disclosure: before }, after: { disclosure: mode } });
      return { mode };
    },
  );

  app.post(
    keysPath,
    operatorRoute(auth, {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description: 'The key is returned only in this response; the service stores only its hash.',
      params: PartnerParams,
      body: Type.Object(
        {
          label: Type.Optional(
            DisplayName('A label that tells the keys of a partner apart', 'nightly loader'),
          ),
        },
        { additionalProperties: false },
      ),
      response: {
        201: Type.Object(
          { api_key_id: ApiKeyId, api_key: Type.String({ examples: ['trib_key_…'] }) },
          { description: 'Created.' },
        ),
      },
    }),
    async (request, reply) => {
      const { partnerId } = await existingPartner(records, request.params);
      const { label = '' } = request.body;
      const key = await records.apiKeys.create(partnerId, label);
      noteChange(request, { after: { api_key_id: key.apiKeyId, label } });
      reply.code(201);
      return { api_key_id: key.apiKeyId, api_key: key.apiKey };
    },
  );

  app.get(
    keysPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listApiKeys',
        summary: 'List API keys',
        description: 'Without the keys themselves.',
        params: PartnerParams,
        querystring: KeysQuery,
        response: {
          200: Type.Array(
            Type.Object({
              api_key_id: ApiKeyId,
              label: Type.String(),
              created_at: Timestamp,
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
        read: (page) => records.apiKeys.list(partnerId, page),
        row: (key) => ({
          api_key_id: key.apiKeyId,
          label: key.label,
          created_at: key.createdAt.toISOString(),
          last_used_at: key.lastUsedAt?.toISOString() ?? null,
          revoked_at: key.revokedAt?.toISOString() ?? null,
        }),
        key: ({ apiKeyId }) => apiKeyId,
        byDefault: null,
      });
    },
  );

  app.delete(
    `${keysPath}/:api_key_id`,
    operatorRoute(auth, {
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key',
      description:
        'The key, and every console session opened with it, is refused from the next request on. Upload links it created stay valid until they expire, for up to 15 minutes.',
      params: Type.Object({
        ...PartnerParams.properties,
        api_key_id: PathId("One of the partner's API keys."),
      }),
      response: { 204: Type.Null({ description: 'Revoked.' }) },
    }),
    async (request, reply) => {
      const partnerId = parseId(request.params.partner_id, 'API key');
      const apiKeyId = parseId(request.params.api_key_id, 'API key');
      found(await records.apiKeys.revoke(partnerId, apiKeyId), 'API key');
      noteChange(request, { after: { api_key_id: apiKeyId, is_revoked: true } });
      return reply.code(204).send(null);
    },
  );

  function partnerOnTheWire({ partnerId, name, prefix }: Partner) {
    return { partner_id: partnerId, name, bucket, prefix };
  }
}
