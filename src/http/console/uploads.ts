import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import { uploadKey } from '../../domain/upload-path.ts';
import type { UploadLinks } from '../../objects/port.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { Timestamp } from '../server/wire.ts';

export function registerConsoleUploads(app: App, auth: Auth, uploadLinks: UploadLinks): void {
  app.post(
    '/v1/console/uploads',
    {
      onRequest: auth.partner,
      schema: {
        tags: ['Console'],
        security: [{ apiKey: [] }],
        operationId: 'createUpload',
        summary: 'Upload a file without an S3 client',
        description:
          'Answers a URL to which the file is then sent: one `PUT` whose body is its bytes, 5 GiB at most, with any `Content-Type`. The URL takes this one file and nothing else, and needs no credentials: it is one, until it expires. An object that is there already is replaced once the new one is complete.',
        body: Type.Object(
          {
            path: Type.String({
              minLength: 1,
              description:
                'Where the file goes, relative to your prefix in the shared bucket. No `.` or `..` segments, and no `/` at the end.',
              examples: ['2026/devices.csv'],
            }),
          },
          { additionalProperties: false },
        ),
        response: {
          201: Type.Object(
            {
              s3_path: Type.String({
                description: 'The key that it gets. Audiences take it as their file_path.',
                examples: ['partner-1/2026/devices.csv'],
              }),
              file_path: Type.String({
                description: 'What an import of the file takes: the path as it was sent.',
                examples: ['2026/devices.csv'],
              }),
              url: Type.String({ description: 'Where to `PUT` the bytes.' }),
              expires_at: Timestamp,
            },
            { description: 'Ready to be uploaded to. An upload must have begun by `expires_at`.' },
          ),
        },
      },
    },
    async (request, reply) => {
      const { partnerId, body } = request;
      const key = uploadKey(partnerPrefix(partnerId), body.path);
      if (key instanceof TributaryError) throw key;
      const { url, expiresAt } = await uploadLinks.create(partnerId, key);
      reply.code(201);
      // The answer is a credential: nothing on the way may keep it.
      reply.header('cache-control', 'no-store');
      return {
        s3_path: key,
        file_path: body.path,
        url,
        expires_at: expiresAt.toISOString(),
      };
    },
  );
}
