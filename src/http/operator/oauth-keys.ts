import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Nullable, Timestamp } from '../server/wire.ts';

const tags = ['Operator'];
const security = [{ adminToken: [] }];
const Kid = Type.String({ description: 'The id of the key.', examples: ['mC0xq7sXkS1nV3Ew'] });

export function registerAdminOauthKeys(app: App, records: Records, auth: Auth): void {
  app.post(
    '/admin/v1/oauth-keys',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'rotateOauthKeys',
        summary: "Rotate the authorization server's keys",
        description:
          'Makes a new key, with which every process signs within a minute. The one before verifies what it has signed, for as long as that is valid: an hour.',
        response: { 201: Type.Object({ kid: Kid }, { description: 'Created.' }) },
      },
    },
    async (_request, reply) => {
      const kid = await records.oauthKeys.rotate();
      reply.code(201);
      return { kid };
    },
  );

  app.get(
    '/admin/v1/oauth-keys',
    {
      onRequest: auth.operator,
      schema: {
        tags,
        security,
        operationId: 'listOauthKeys',
        summary: "List the authorization server's keys",
        description:
          'Newest first, without the keys themselves. The first is made when it is needed.',
        response: {
          200: Type.Array(
            Type.Object({
              kid: Kid,
              created_at: Timestamp,
              retired_at: Nullable(Timestamp, { description: 'Null: it has not been replaced.' }),
            }),
          ),
        },
      },
    },
    async () => {
      const keys = await records.oauthKeys.list();
      return keys.map(({ kid, createdAt, retiredAt }) => ({
        kid,
        created_at: createdAt.toISOString(),
        retired_at: retiredAt?.toISOString() ?? null,
      }));
    },
  );
}
