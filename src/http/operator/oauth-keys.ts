import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { Nullable, Timestamp } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';

const keysPath = '/admin/v1/oauth-keys';
const Kid = Type.String({ description: 'The key id.', examples: ['mC0xq7sXkS1nV3Ew'] });

export function registerAdminOauthKeys(app: App, records: Records, auth: Auth): void {
  app.post(
    keysPath,
    operatorRoute(auth, {
      operationId: 'rotateOauthKeys',
      summary: "Rotate the authorization server's keys",
      description:
        'Creates a new key. Every process signs with it within a minute. The previous key verifies its own signatures until they expire, after an hour.',
      response: { 201: Type.Object({ kid: Kid }, { description: 'Created.' }) },
    }),
    async (request, reply) => {
      const kid = await records.oauthKeys.rotate();
      noteChange(request, { after: { kid } });
      reply.code(201);
      return { kid };
    },
  );

  app.get(
    keysPath,
    operatorRoute(auth, {
      operationId: 'listOauthKeys',
      summary: "List the authorization server's keys",
      description:
        'Newest first, without the keys themselves. The service creates the first key when it needs one.',
      response: {
        200: Type.Array(
          Type.Object({
            kid: Kid,
            created_at: Timestamp,
            retired_at: Nullable(Timestamp, {
              description: 'Null while the key has not been replaced.',
            }),
          }),
        ),
      },
    }),
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
