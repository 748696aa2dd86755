import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import { uploadKey } from '../../domain/upload-path.ts';
import type { UploadLinks } from '../../objects/port.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { Records } from '../../records/records.ts';
import type { App } from '../server/app-types.ts';
import type { Audit } from '../server/audit.ts';
import type { Auth } from '../server/auth.ts';
import { partnerRoute } from '../server/partner-route.ts';
import { Timestamp } from '../server/wire.ts';
import { StorageMembers, storageOnTheWire } from '../usage/storage-wire.ts';

interface UploadsDependencies {
  readonly audit: Audit;
  readonly uploadLinks: UploadLinks;
  readonly uploadRetentionDays: number | null;
}

export function registerConsoleUploads(
  app: App,
  records: Records,
  auth: Auth,
  { audit, uploadLinks, uploadRetentionDays }: UploadsDependencies,
): void {
  app.get(
    '/v1/console/storage',
    partnerRoute(auth, 'Files and usage', {
      operationId: 'getStorage',
      summary: 'Storage',
      description:
        'Returns how many bytes you keep in the shared bucket, how many you may keep, and for how many days the service keeps your files. Beyond the quota, S3 clients get `QuotaExceeded`.',
      response: { 200: StorageMembers },
    }),
    async ({ partnerId }) =>
      storageOnTheWire(await records.storageUses.of(partnerId), uploadRetentionDays),
  );

  app.post(
    '/v1/console/uploads',
    partnerRoute(auth, 'Files and usage', {
      operationId: 'createUpload',
      summary: 'Upload a file without an S3 client',
      description:
        'Returns a URL. Send the file to it in one `PUT` whose body is the bytes, at most 5 GiB, with any `Content-Type`. The URL accepts only this file and needs no credentials: keep it secret until it expires. In the embedded store it also ends when your API key is revoked. An existing object is replaced when the new one is complete.',
      body: Type.Object(
        {
          path: Type.String({
            minLength: 1,
            description:
              'Path of the file, relative to your prefix in the shared bucket. No `.` or `..` segments and no trailing `/`.',
            examples: ['2026/devices.csv'],
          }),
        },
        { additionalProperties: false },
      ),
      response: {
        201: Type.Object(
          {
            s3_path: Type.String({
              description: 'The key of the object. Send it as file_path to load an audience.',
              examples: ['partner-1/2026/devices.csv'],
            }),
            file_path: Type.String({
              description: 'The path as sent. Send it as file_path to queue an import.',
              examples: ['2026/devices.csv'],
            }),
            url: Type.String({ description: '`PUT` the bytes here.' }),
            expires_at: Timestamp,
          },
          { description: 'Created. The upload must begin before `expires_at`.' },
        ),
      },
    }),
    async (request, reply) => {
      const { partnerId, apiKeyId, body } = request;
      const key = uploadKey(partnerPrefix(partnerId), body.path);
      if (key instanceof TributaryError) throw key;
      const { url, expiresAt } = await uploadLinks.create({ partnerId, apiKeyId }, key);
      await audit.add(records, request, 201, { before: null, after: { s3_path: key } });
      reply.code(201);
      // The response is a credential, so no cache may store it.
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
