import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Records } from '../../records/records.ts';
import { type AdminToken, hashAdminToken, mintAdminToken } from '../server/admin-token.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { Timestamp } from '../server/wire.ts';
import { operatorRoute } from './operator-route.ts';

/** Keeps a new admin token for the next start. Null: the token comes from the environment. */
export type SaveAdminToken = ((token: string) => Promise<void>) | null;

const day = 24 * 60 * 60;

export function registerAdminTokenRotation(
  app: App,
  records: Records,
  auth: Auth,
  { adminToken, saveAdminToken }: { adminToken: AdminToken; saveAdminToken: SaveAdminToken },
): void {
  app.post(
    '/admin/v1/admin-token/rotate',
    operatorRoute(auth, {
      operationId: 'rotateAdminToken',
      summary: 'Replace the admin token',
      description:
        'Creates a new admin token, which every process accepts at once. The old one is accepted until the overlap ends, even if a process is still configured with it; after that it is refused for ever. Console sessions that were opened with it end at once, except the one that sends this request. The new token is returned only in this response.',
      body: Type.Object(
        {
          overlap_seconds: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: limits.adminTokenOverlapDays.most * day,
              description: 'How long the old token stays valid. 24 hours if left out.',
              examples: [3600],
            }),
          ),
        },
        { additionalProperties: false },
      ),
      response: {
        201: Type.Object(
          {
            admin_token: Type.String({ examples: ['trib_admin_…'] }),
            old_valid_until: Timestamp,
            is_saved: Type.Boolean({
              description:
                'Whether the service has written the token to the file `admin-token` of its data dir. Otherwise set `TRIBUTARY_ADMIN_TOKEN` to it for every process, and restart them at any time.',
            }),
          },
          { description: 'Created.' },
        ),
      },
    }),
    async (request, reply) => {
      const token = mintAdminToken();
      const { overlap_seconds: overlapSeconds = day } = request.body;
      const sessionId = request.session?.sessionId ?? null;
      const { configured } = adminToken;
      const newHash = hashAdminToken(token);
      const validUntil = await records.inTransaction(async (tx) => {
        const until = await tx.adminTokens.rotate({
          configured,
          newHash,
          overlapSeconds,
          sessionId,
        });
        // Before the commit, so that no token is lost: if the commit fails, the next start uses the new
        // one, which nothing refuses.
        await saveAdminToken?.(token);
        return until;
      });
      const old_valid_until = validUntil.toISOString();
      noteChange(request, { after: { old_valid_until } });
      reply.code(201).header('cache-control', 'no-store');
      return { admin_token: token, old_valid_until, is_saved: saveAdminToken !== null };
    },
  );
}
