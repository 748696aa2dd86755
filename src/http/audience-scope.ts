import type { FastifyRequest } from 'fastify';
import type { Audience, AudienceScope } from '../records/audiences.ts';
import type { Records } from '../records/records.ts';
import { found, parseId } from './wire.ts';

/** Whose audiences a request is about. */
export function scopeOf({ partnerId, customerId }: FastifyRequest): AudienceScope {
  return { partnerId, customerId };
}

/** The audience that a path names, if the request may see it. */
export async function visibleAudience(
  records: Records,
  request: FastifyRequest,
  pathId: string,
): Promise<Audience> {
  const audienceId = parseId(pathId, 'audience');
  return found(await records.audiences.find(scopeOf(request), audienceId), 'audience');
}
