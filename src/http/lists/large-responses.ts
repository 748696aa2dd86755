import type { FastifyReply, FastifyRequest } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { ownerOf } from '../server/live-answers.ts';
import { onResponseFinished } from '../server/response-finished.ts';

export interface LargeResponses {
  /**
   * Counts a large response until it is sent or the client has disconnected. Throws if the owner
   * already receives as many as the limit, because each one takes memory and queries.
   */
  count(request: FastifyRequest, reply: FastifyReply): void;
}

export function createLargeResponses(limit: number = limits.largeResponses.most): LargeResponses {
  const open = new Map<string, number>();
  return {
    count(request, reply) {
      const owner = ownerOf(request);
      const ofOwner = open.get(owner) ?? 0;
      if (ofOwner >= limit) {
        reply.header('retry-after', 5);
        throw new TributaryError(
          'rate_limited',
          `You already receive ${ofOwner} large responses. Read one of them to its end first, or ask for less with limit.`,
        );
      }
      open.set(owner, ofOwner + 1);
      onResponseFinished(reply, () => {
        const left = open.get(owner)! - 1;
        if (left === 0) open.delete(owner);
        else open.set(owner, left);
      });
    },
  };
}
