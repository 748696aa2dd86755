import { limits } from '../domain/limits.ts';
import type { LoaderScope } from '../records/audiences/audience-scope.ts';
import type { Records } from '../records/records.ts';
import { queueAudienceLoad } from './queue-audience-load.ts';

/** Creates an audience and queues the load of the files at or under a key of the shared bucket. */
export function createAudience(
  records: Records,
  scope: LoaderScope,
  name: string,
  path: string,
  most: number = limits.audiencesPerPartner.most,
): Promise<{ audienceId: number; segmentId: number }> {
  return records.inTransaction(async (tx) => {
    const segmentId = await tx.segments.create('audience');
    const { audienceId, generation } = await tx.audiences.create(scope, name, segmentId, most);
    await queueAudienceLoad(tx, scope.partnerId, { audienceId, generation, path });
    return { audienceId, segmentId };
  });
}
