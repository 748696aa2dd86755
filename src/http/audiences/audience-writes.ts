import { Type } from 'typebox';
import { appendToAudience } from '../../actions/append-to-audience.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { found, parseId } from '../server/wire.ts';
import { type AudienceAddress, audienceRoute } from './audience-address.ts';
import {
  CreatedAudience,
  type CreationSettings,
  createAudienceWriter,
  fileKey,
  NewAudienceMembers,
} from './audience-creation.ts';
import { loaderScopeOf } from './audience-scope.ts';
import { AudiencePath, FilePath } from './audience-wire.ts';

const CreateAudience = Type.Object(NewAudienceMembers, { additionalProperties: false });
const AppendFiles = Type.Object({ file_path: FilePath }, { additionalProperties: false });

export function registerAudienceWrites(
  app: App,
  address: AudienceAddress,
  auth: Auth,
  write: Write,
  settings: CreationSettings,
): void {
  const create = createAudienceWriter(write, settings);

  app.post(
    address.path,
    audienceRoute(auth, address, {
      operationId: 'createAudience',
      summary: 'Create an audience',
      description:
        'Creates an audience and queues a job that loads one file, or every file under a path. Your jobs run one at a time, in the order submitted. A file has exactly two columns: an advertising identifier and an event label, which may be empty. Files are UTF-8 text, separated by commas or tabs, uncompressed or compressed with gzip or zstd. Each file is loaded as a whole or not at all. With a user token, the audience belongs to its customer.',
      headers: WriteHeaders,
      body: CreateAudience,
      response: { 201: CreatedAudience },
    }),
    async (request, reply) => create(request, reply, request.body, address.path),
  );

  app.patch(
    `${address.path}/:audience_id`,
    audienceRoute(auth, address, {
      operationId: 'appendFiles',
      summary: 'Append files',
      description:
        'Queues a job that loads more files into the audience. Each device counts once. A file that is already loaded with the same path and ETag is skipped. A file that failed or has changed since is loaded again.',
      params: AudiencePath,
      headers: WriteHeaders,
      body: AppendFiles,
      response: { 204: Type.Null({ description: 'Queued.' }) },
    }),
    async (request, reply) => {
      const audienceId = parseId(request.params.audience_id, 'audience');
      const key = fileKey(settings.bucket, request.partnerId, request.body.file_path);
      return write(request, reply, async (tx) => {
        await tx.usage.refuseLoads(request.partnerId);
        const appended = await appendToAudience(tx, loaderScopeOf(request), audienceId, key);
        found(appended, 'audience');
        const change = { after: { audience_id: audienceId, path: key } };
        return { status: 204, location: null, body: null, change };
      });
    },
  );
}
