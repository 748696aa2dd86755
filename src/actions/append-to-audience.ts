import type { LoaderScope } from '../records/audiences/audience-scope.ts';
import type { Records } from '../records/records.ts';
import { queueAudienceLoad } from './queue-audience-load.ts';

/** Queues the load of more files. False if the scope has no such audience. */
export function appendToAudience(
  records: Records,
  scope: LoaderScope,
  audienceId: number,
  path: string,
): Promise<boolean> {
  return records.inTransaction(async (tx) => {
    const audience = await tx.audiences.touch(scope, audienceId);
    if (!audience) return false;
    const { generation } = audience;
    await queueAudienceLoad(tx, scope.partnerId, { audienceId, generation, path });
    return true;
  });
}
