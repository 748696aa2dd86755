import type { FastifyReply, FastifyRequest } from 'fastify';
import { onResponseFinished } from './response-finished.ts';
import { pathOf } from './wire.ts';

/** Sets the headers of every response, and logs the request when the response is finished. */
export function beginResponse(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  onResponseFinished(reply, (status) => {
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method: request.method, path: pathOf(request), status, ms }, 'request');
  });
}
