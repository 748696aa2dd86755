import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../../domain/limits.ts';
import type { JobProgress } from '../../records/queue/job-progress.ts';
import type { Auth } from '../server/auth.ts';
import { liveResponse, type SendLive } from '../server/live-answers.ts';
import { ProgressSchema, progressOnTheWire } from './progress-figures.ts';

const intervalMs = 1_000;

export const eventsDescription = `With \`Accept: text/event-stream\` the response is a stream of \`progress\` events with the same fields: one immediately, then about one per second until the job ends. The last event has queue_position null. Comment lines keep an idle stream open. At most ${limits.openStreams.most} streams can be open at the same time.`;

export const ProgressAnswer = liveResponse(ProgressSchema, {
  description: 'The progress.',
  events: '`progress` events. The data of each event has the fields above.',
  example: 'event: progress\ndata: {"bytes_read":52428800,…}\n\n',
});

/** Responds with the progress as JSON, or as events until the job ends, as the client prefers. */
export type SendProgress = (
  request: FastifyRequest,
  reply: FastifyReply,
  authorize: Auth['partner'],
  read: () => Promise<JobProgress>,
) => Promise<Readable | ReturnType<typeof progressOnTheWire>>;

export function createSendProgress(sendLive: SendLive): SendProgress {
  return (request, reply, authorize, read) =>
    sendLive(request, reply, {
      authorize,
      read: async () => progressOnTheWire(await read()),
      event: 'progress',
      data: (progress) => progress,
      intervalMs,
      onlyChanges: false,
      isLast: ({ queue_position }) => queue_position === null,
    });
}
