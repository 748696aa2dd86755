import type { FastifyRequest } from 'fastify';
import type { AudienceScope, LoaderScope } from '../../records/audiences/audience-scope.ts';
import type { Audience } from '../../records/audiences/audiences.ts';
import type { Records } from '../../records/records.ts';
import { found, parseId } from '../server/wire.ts';

/** The audiences a request may read: a partner's, or those of the signed-in user's customer. */
export function readerScopeOf(request: FastifyRequest): AudienceScope {
  const { partnerId, customerId } = request;
  if (partnerId !== 0 || customerId === null) return loaderScopeOf(request);
  return { partnerId: null, customerId };
}

/** The audiences a request may load. Only partners can load audiences. */
export function loaderScopeOf({ partnerId, customerId }: FastifyRequest): LoaderScope {
  if (partnerId === 0) throw new Error('only a partner can load an audience');
  return { partnerId, customerId };
}

/** The audience with this id, if the request may read it. */
export async function visibleAudience(
  records: Records,
  request: FastifyRequest,
  pathId: string,
): Promise<Audience> {
  const audienceId = parseId(pathId, 'audience');
  return found(await records.audiences.find(readerScopeOf(request), audienceId), 'audience');
}
