import { Type } from 'typebox';
import { invalidInput } from '../../domain/errors.ts';
import type { AccessKeys } from '../../records/access/storage-credentials.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { found, PathId, parseId, Timestamp } from '../server/wire.ts';

/** Where partners upload to, and who makes their credentials. */
export interface SharedStorage {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Ours are made here; those of a store elsewhere are made there, and recorded. */
  readonly issuedHere: boolean;
}

const tags = ['Operator'];
const security = [{ adminToken: [] }];
const PartnerPath = Type.Object({ partner_id: PathId('Which partner.') });

export function registerAdminStorageCredentials(
  app: App,
  records: Records,
  auth: Auth,
  storage: SharedStorage,
): void {
  app.post(
    '/admin/v1/partners/:partner_id/storage-credentials',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'createStorageCredentials',
        summary: 'Create storage credentials',
        description:
          "For uploading under the partner's prefix with any S3 client, and nowhere else. The secret is shown this once. Where the shared bucket is another store's, send the key pair that was made there.",
        params: PartnerPath,
        body: Type.Union([
          Type.Object(
            {
              accessKeyId: Type.Optional(KeyPart('accessKeyId of another store', 128)),
              secretAccessKey: Type.Optional(KeyPart('secretAccessKey of another store', 256)),
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
              accessKeyId: Type.String({ examples: ['TRIB…'] }),
              secretAccessKey: Type.String(),
              sessionToken: Type.Null({ description: 'Null: the credentials are permanent.' }),
              expires_at: Type.Null(),
            },
            { description: 'Created.' },
          ),
        },
      },
    },
    async (request, reply) => {
      const partner = found(
        await records.partners.find(parseId(request.params.partner_id, 'partner')),
        'partner',
      );
      const keys = await keysFor(partner.partnerId, request.body ?? {});
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
    '/admin/v1/partners/:partner_id/storage-credentials',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listStorageCredentials',
        summary: 'List storage credentials',
        description: 'Without the secrets.',
        params: PartnerPath,
        response: {
          200: Type.Array(
            Type.Object({
              accessKeyId: Type.String({ examples: ['TRIB…'] }),
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
      const partnerId = parseId(request.params.partner_id, 'partner');
      found(await records.partners.find(partnerId), 'partner');
      const credentials = await records.storageCredentials.list(partnerId);
      return credentials.map((each) => ({
        accessKeyId: each.accessKeyId,
        created_at: each.createdAt.toISOString(),
        last_used_at: each.lastUsedAt?.toISOString() ?? null,
        revoked_at: each.revokedAt?.toISOString() ?? null,
      }));
    },
  );

  app.delete(
    '/admin/v1/partners/:partner_id/storage-credentials/:access_key_id',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'revokeStorageCredentials',
        summary: 'Revoke storage credentials',
        description: 'They are refused from the next request on.',
        params: Type.Object({
          partner_id: PathId('Which partner.'),
          access_key_id: Type.String({ description: 'Its accessKeyId.', examples: ['TRIB…'] }),
        }),
        response: { 204: Type.Null({ description: 'Revoked.' }) },
      },
    },
    async (request, reply) => {
      const partnerId = parseId(request.params.partner_id, 'storage credential');
      const { access_key_id } = request.params;
      const revoked = await records.storageCredentials.revoke(partnerId, access_key_id);
      found(revoked || undefined, 'storage credential');
      return reply.code(204).send(null);
    },
  );

  async function keysFor(partnerId: number, sent: Partial<AccessKeys>): Promise<AccessKeys> {
    const { accessKeyId, secretAccessKey } = sent;
    if (storage.issuedHere) {
      if (accessKeyId === undefined && secretAccessKey === undefined) {
        return records.storageCredentials.create(partnerId);
      }
      throw invalidInput('', 'The key pair is made here: send no body.');
    }
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      throw invalidInput(
        '',
        'The shared bucket is another store’s: send the accessKeyId and secretAccessKey that were made there for this partner.',
      );
    }
    const keys = { accessKeyId, secretAccessKey };
    if (await records.storageCredentials.record(partnerId, keys)) return keys;
    throw invalidInput(
      '/accessKeyId',
      'It is recorded already, for this partner or for another: each partner needs a key pair of its own.',
    );
  }
}

function KeyPart(description: string, maxLength: number) {
  return Type.String({ minLength: 1, maxLength, pattern: '^[\\x21-\\x7e]+$', description });
}
