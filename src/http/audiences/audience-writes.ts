import { Type } from 'typebox';
import { appendToAudience } from '../../actions/append-to-audience.ts';
import { createAudience } from '../../actions/create-audience.ts';
import { TributaryError } from '../../domain/errors.ts';
import { audienceKey } from '../../domain/source-path.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { App } from '../server/app-types.ts';
import type { Auth } from '../server/auth.ts';
import { type Write, WriteHeaders } from '../server/idempotent-write.ts';
import { found, Id, parseId } from '../server/wire.ts';
import { type AudienceAddress, audienceRoute } from './audience-address.ts';
import { loaderScopeOf } from './audience-scope.ts';
import { AudienceName, AudiencePath, FilePath } from './audience-wire.ts';

const CreateAudience = Type.Object(
  { name: AudienceName, file_path: FilePath },
  { additionalProperties: false },
);
const AppendFiles = Type.Object({ file_path: FilePath }, { additionalProperties: false });

export function registerAudienceWrites(
  app: App,
  address: AudienceAddress,
  auth: Auth,
  write: Write,
  { bucket, maxAudiences }: { readonly bucket: string; readonly maxAudiences: number },
): void {
  app.post(
    address.path,
    audienceRoute(auth, address, {
      operationId: 'createAudience',
      summary: 'Create an audience',
      description:
        'Creates an audience and queues a job that loads one file, or every file under a path. Your jobs run one at a time, in the order submitted. A file has exactly two columns: an advertising identifier and an event label, which may be empty. Files are UTF-8 text, separated by commas or tabs, uncompressed or compressed with gzip or zstd. Each file is loaded as a whole or not at all. With a user token, the audience belongs to its customer.',
      headers: WriteHeaders,
      body: CreateAudience,
      response: {
        201: Type.Object(
          {
            audience_id: Id('The id of the new audience.'),
            default_warehouse_segment_id: Id(
              'Identifies the composition report in the console: `/console/segments/<id>`.',
            ),
          },
          {
            description: 'The audience is created and its load is queued.',
            headers: { Location: { type: 'string', description: 'The path of the audience.' } },
          },
        ),
      },
    }),
    async (request, reply) => {
      const { name, file_path } = request.body;
      const key = keyOf(request.partnerId, file_path);
      return write(request, reply, async (tx) => {
        const scope = loaderScopeOf(request);
        await tx.usage.refuseLoads(scope.partnerId);
        const { audienceId, segmentId } = await createAudience(tx, scope, name, key, maxAudiences);
        return {
          status: 201,
          location: `${address.path}/${audienceId}`,
          body: { audience_id: audienceId, default_warehouse_segment_id: segmentId },
          change: { after: { audience_id: audienceId, name, path: key } },
        };
      });
    },
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
      const key = keyOf(request.partnerId, request.body.file_path);
      return write(request, reply, async (tx) => {
        await tx.usage.refuseLoads(request.partnerId);
        const appended = await appendToAudience(tx, loaderScopeOf(request), audienceId, key);
        found(appended, 'audience');
        const change = { after: { audience_id: audienceId, path: key } };
        return { status: 204, location: null, body: null, change };
      });
    },
  );

  function keyOf(partnerId: number, filePath: string): string {
    const key = audienceKey(bucket, partnerPrefix(partnerId), filePath);
    if (key instanceof TributaryError) throw key;
    return key;
  }
}
