import { Type } from 'typebox';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import { noteChange } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { operatorRoute } from './operator-route.ts';

export function registerAdminSecretKey(app: App, records: Records, auth: Auth): void {
  app.post(
    '/admin/v1/secret-key/reseal',
    operatorRoute(auth, {
      operationId: 'resealSecrets',
      summary: 'Encrypt all stored secrets with the newest secret key',
      description:
        'The newest key is the first in `TRIBUTARY_SECRET_KEY`. Call it when all processes have that setting. Then the older keys can be removed from it.',
      response: {
        200: Type.Object({
          resealed: Type.Integer({
            description: 'How many secrets were encrypted with an older key before.',
          }),
        }),
      },
    }),
    async (request) => {
      const resealed = await records.sealedSecrets.reseal();
      noteChange(request, { after: { resealed } });
      return { resealed };
    },
  );
}
