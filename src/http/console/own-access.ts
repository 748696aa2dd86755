import { Type } from 'typebox';
import { firstPage } from '../../domain/page.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { Id, LastUsedAt, Timestamp } from '../server/wire.ts';

const AccessSchema = Type.Object({
  api_keys: Type.Array(
    Type.Object({
      api_key_id: Id('The key.'),
      label: Type.String({ examples: ['nightly upload'] }),
      prefix: Type.String({
        description: 'How the key begins. The rest is secret.',
        examples: ['trib_key_0123456789abcdef'],
      }),
      created_at: Timestamp,
      last_used_at: LastUsedAt,
      is_current: Type.Boolean({
        description: 'Whether this request, or its session, uses the key.',
        examples: [true],
      }),
    }),
  ),
  storage_credentials: Type.Array(
    Type.Object({
      accessKeyId: Type.String({ examples: ['TRIB…'] }),
      created_at: Timestamp,
      last_used_at: LastUsedAt,
    }),
  ),
  apps: Type.Array(
    Type.Object({
      client_id: Type.String({ examples: ['app_…'] }),
      name: Type.String({ examples: ['Audience Loader'] }),
      is_disabled: Type.Boolean({ examples: [false] }),
      created_at: Timestamp,
    }),
  ),
});

/** What a partner can reach the service with. Only the operator issues and revokes it. */
export function registerOwnAccess(app: App, records: Records, auth: Auth): void {
  app.get(
    '/v1/console/access',
    partnerRoute(auth, 'Console', {
      operationId: 'getOwnAccess',
      summary: 'Your keys, storage credentials and apps',
      description:
        'Lists those that are not revoked, oldest first, without secrets. The operator creates and revokes them.',
      response: { 200: AccessSchema },
    }),
    async ({ partnerId, apiKeyId }) => {
      const [keys, credentials, apps] = await Promise.all([
        records.apiKeys.list(partnerId, firstPage, { isOnlyValid: true }),
        records.storageCredentials.list(partnerId, firstPage, { isOnlyValid: true }),
        records.oauthApps.list(partnerId),
      ]);
      return {
        api_keys: keys.map((key) => ({
          api_key_id: key.apiKeyId,
          label: key.label,
          prefix: key.prefix,
          created_at: key.createdAt.toISOString(),
          last_used_at: key.lastUsedAt?.toISOString() ?? null,
          is_current: key.apiKeyId === apiKeyId,
        })),
        storage_credentials: credentials.map((each) => ({
          accessKeyId: each.accessKeyId,
          created_at: each.createdAt.toISOString(),
          last_used_at: each.lastUsedAt?.toISOString() ?? null,
        })),
        apps: apps.map((each) => ({
          client_id: each.clientId,
          name: each.name,
          is_disabled: each.isDisabled,
          created_at: each.createdAt.toISOString(),
        })),
      };
    },
  );
}
