import { Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import type { Page } from '../../domain/page.ts';
import type { AccessKeys } from '../../records/access/storage-credentials.ts';
import type { Records } from '../../records/records.ts';
import { pageHeaders, parsePage, textPageQuery } from '../lists/page-query.ts';
import type { SendList } from '../lists/send-list.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { found, LastUsedAt, Nullable, parseId, Timestamp } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';
import { existingPartner, PartnerParams, partnerPath } from './partner-path.ts';

/** Where partners upload to, and who creates their credentials. */
export interface SharedStorage {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** True for our own store. Keys for an external store are created there and recorded here. */
  readonly issuedHere: boolean;
}

const credentialsPath = `${partnerPath}/storage-credentials`;
const AccessKeyId = Type.String({ examples: ['TRIB…'] });

const ListQuery = Type.Object(
  textPageQuery({ records: 'credentials', id: 'accessKeyId', byDefault: null }, '^[\\x21-\\x7e]+$'),
  { additionalProperties: false },
);

export function registerAdminStorageCredentials(
  app: App,
  records: Records,
  auth: Auth,
  storage: SharedStorage,
  sendList: SendList,
): void {
  app.post(
    credentialsPath,
    operatorRoute(auth, {
      operationId: 'createStorageCredentials',
      summary: 'Create storage credentials',
      description:
        "They allow any S3 client to upload under the partner's prefix, and nowhere else. The secret is returned only in this response. If the shared bucket is in an external store, send the key pair created there.",
      params: PartnerParams,
      body: Type.Union([
        Type.Object(
          {
            accessKeyId: Type.Optional(KeyPart('accessKeyId created in the external store', 128)),
            secretAccessKey: Type.Optional(
              KeyPart('secretAccessKey created in the external store', 256),
            ),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ]),
      response: {
        201: Type.Object(
          {
            endpoint: Type.String({ examples: ['http://127.0.0.1:9000'] }),
            region: Type.String({ examples: ['us-east-1'] }),
            bucket: Type.String({ examples: ['tributary'] }),
            prefix: Type.String({ examples: ['partner-1/'] }),
            accessKeyId: AccessKeyId,
            secretAccessKey: Type.String(),
            sessionToken: Type.Null({ description: 'Null: the credentials are permanent.' }),
            expires_at: Type.Null(),
          },
          { description: 'Created.' },
        ),
      },
    }),
    async (request, reply) => {
      const partner = await existingPartner(records, request.params);
      const keys = await keysFor(partner.partnerId, request.body ?? {});
      noteChange(request, { after: { accessKeyId: keys.accessKeyId } });
      reply.code(201);
      return {
        endpoint: storage.endpoint,
        region: storage.region,
        bucket: storage.bucket,
        prefix: partner.prefix,
        ...keys,
        sessionToken: null,
        expires_at: null,
      };
    },
  );

  app.get(
    credentialsPath,
    {
      ...operatorRoute(auth, {
        operationId: 'listStorageCredentials',
        summary: 'List storage credentials',
        description: 'Without their secrets.',
        params: PartnerParams,
        querystring: ListQuery,
        response: {
          200: Type.Array(
            Type.Object({
              accessKeyId: AccessKeyId,
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
        read: (page: Page<string>) => records.storageCredentials.list(partnerId, page),
        row: (each) => ({
          accessKeyId: each.accessKeyId,
          created_at: each.createdAt.toISOString(),
          last_used_at: each.lastUsedAt?.toISOString() ?? null,
          revoked_at: each.revokedAt?.toISOString() ?? null,
        }),
        key: ({ accessKeyId }) => accessKeyId,
        byDefault: null,
      });
    },
  );

  app.delete(
    `${credentialsPath}/:access_key_id`,
    operatorRoute(auth, {
      operationId: 'revokeStorageCredentials',
      summary: 'Revoke storage credentials',
      description: 'They are refused from the next request on.',
      params: Type.Object({
        ...PartnerParams.properties,
        access_key_id: Type.String({
          description: 'The accessKeyId of the credentials.',
          examples: ['TRIB…'],
        }),
      }),
      response: { 204: Type.Null({ description: 'Revoked.' }) },
    }),
    async (request, reply) => {
      const partnerId = parseId(request.params.partner_id, 'storage credential');
      const { access_key_id } = request.params;
      const revoked = await records.storageCredentials.revoke(partnerId, access_key_id);
      found(revoked, 'storage credential');
      noteChange(request, { after: { accessKeyId: access_key_id, is_revoked: true } });
      return reply.code(204).send(null);
    },
  );

  async function keysFor(partnerId: number, sent: Partial<AccessKeys>): Promise<AccessKeys> {
    const { accessKeyId, secretAccessKey } = sent;
    if (storage.issuedHere) {
      if (accessKeyId === undefined && secretAccessKey === undefined) {
        return records.storageCredentials.create(partnerId);
      }
      throw invalidInput('', 'This service creates the key pair itself. Send no body.');
    }
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      throw invalidInput(
        '',
        'The shared bucket is in an external store. Send the accessKeyId and secretAccessKey created there for this partner.',
      );
    }
    const keys = { accessKeyId, secretAccessKey };
    if (await records.storageCredentials.record(partnerId, keys)) return keys;
    throw invalidInput(
      '/accessKeyId',
      'This accessKeyId is already recorded for this or another partner. Create a separate key pair for each partner.',
    );
  }
}

function KeyPart(description: string, maxLength: number) {
  return Type.String({ minLength: 1, maxLength, pattern: '^[\\x21-\\x7e]+$', description });
}
