import type { FastifyReply } from 'fastify';
import { clientClosedRequest } from '../../domain/http-status.ts';

/**
 * Calls back once, when the response is sent or the client has disconnected. Fastify's onResponse
 * hook does not run if the client disconnects first.
 */
export function onResponseFinished(reply: FastifyReply, callback: (status: number) => void): void {
  const end = () => callback(reply.raw.writableFinished ? reply.statusCode : clientClosedRequest);
  if (reply.raw.closed) end();
  else reply.raw.once('close', end);
}
