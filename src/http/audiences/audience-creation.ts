import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { createAudience } from '../../actions/create-audience.ts';
import { TributaryError } from '../../domain/errors.ts';
import { audienceKey } from '../../domain/source-path.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import type { Write } from '../server/idempotent-write.ts';
import { Id } from '../server/wire.ts';
import { loaderScopeOf } from './audience-scope.ts';
import { AudienceName, FilePath } from './audience-wire.ts';

export const NewAudienceMembers = { name: AudienceName, file_path: FilePath };

export const CreatedAudience = Type.Object(
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
);

export interface CreationSettings {
  /** The shared bucket. */
  readonly bucket: string;
  /** Audiences that each partner may have. */
  readonly maxAudiences: number;
}

interface NewAudience {
  readonly name: string;
  readonly file_path: string;
}

/** Creates an audience for the partner and the customer of a request, and queues its load. */
export function createAudienceWriter(write: Write, { bucket, maxAudiences }: CreationSettings) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { name, file_path }: NewAudience,
    path: string,
  ): Promise<Static<typeof CreatedAudience>> => {
    const key = fileKey(bucket, request.partnerId, file_path);
    return write(request, reply, async (tx) => {
      const scope = loaderScopeOf(request);
      await tx.usage.refuseLoads(scope.partnerId);
      const { audienceId, segmentId } = await createAudience(tx, scope, name, key, maxAudiences);
      return {
        status: 201,
        location: `${path}/${audienceId}`,
        body: { audience_id: audienceId, default_warehouse_segment_id: segmentId },
        change: { after: { audience_id: audienceId, name, path: key } },
      };
    });
  };
}

/** The key in the shared bucket that a `file_path` names. Throws if the path is invalid. */
export function fileKey(bucket: string, partnerId: number, filePath: string): string {
  const key = audienceKey(bucket, partnerPrefix(partnerId), filePath);
  if (key instanceof TributaryError) throw key;
  return key;
}
