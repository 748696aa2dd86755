import type { FastifyReply } from 'fastify';

/** What stands for the status of an answer that its client did not wait for. As in nginx. */
const clientGone = 499;

/**
 * Calls back once, when the answer is out or the client is gone. The framework's own hook for this
 * keeps silent when nobody is left to be answered.
 */
export function onResponseFinished(reply: FastifyReply, callback: (status: number) => void): void {
  const end = () => callback(reply.raw.writableFinished ? reply.statusCode : clientGone);
  if (reply.raw.closed) end();
  else reply.raw.once('close', end);
}
