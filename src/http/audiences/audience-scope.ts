import type { FastifyRequest } from 'fastify';
import type { AudienceScope, LoaderScope } from '../../records/audiences/audience-scope.ts';
import type { Audience } from '../../records/audiences/audiences.ts';
import type { Records } from '../../records/records.ts';
import { found, parseId } from '../server/wire.ts';

/** Whose audiences a request may read: without a partner, those of the customer whose user asks. */
export function readerScopeOf(request: FastifyRequest): AudienceScope {
  const { partnerId, customerId } = request;
  if (partnerId !== 0 || customerId === null) return loaderScopeOf(request);
  return { partnerId: null, customerId };
}

/** Whose audiences a request may load; only partners do. */
export function loaderScopeOf({ partnerId, customerId }: FastifyRequest): LoaderScope {
  if (partnerId === 0) throw new Error('who is let through here is a partner');
  return { partnerId, customerId };
}

/** The audience that a path names, if the request may see it. */
export async function visibleAudience(
  records: Records,
  request: FastifyRequest,
  pathId: string,
): Promise<Audience> {
  const audienceId = parseId(pathId, 'audience');
  return found(await records.audiences.find(readerScopeOf(request), audienceId), 'audience');
}
