import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JobProgress } from '../../records/queue/job-progress.ts';
import type { Auth } from '../server/auth.ts';
import { liveAnswer, type SendLive, streamsPerOwner } from '../server/live-answers.ts';
import { ProgressSchema, progressOnTheWire } from './progress-figures.ts';

const everyMs = 1_000;

export const eventsDescription = `With \`Accept: text/event-stream\` it is told at once and then about every second as an event \`progress\` with the same members, until the work has ended; the last event has queue_position null, and the stream ends with it. Comment lines keep a stream alive while there is nothing to tell. At most ${streamsPerOwner} streams at once.`;

export const ProgressAnswer = liveAnswer(ProgressSchema, {
  description: 'How it stands.',
  events: 'Events `progress`, each with the members above in its data.',
  example: 'event: progress\ndata: {"bytes_read":52428800,…}\n\n',
});

/** Answers with what `look` sees, once or until it has ended, as the client prefers. */
export type SendProgress = (
  request: FastifyRequest,
  reply: FastifyReply,
  guard: Auth['partner'],
  look: () => Promise<JobProgress>,
) => Promise<Readable | ReturnType<typeof progressOnTheWire>>;

export function createSendProgress(sendLive: SendLive): SendProgress {
  return (request, reply, guard, look) =>
    sendLive(request, reply, {
      authorize: guard,
      read: async () => progressOnTheWire(await look()),
      event: 'progress',
      data: (progress) => progress,
      intervalMs: everyMs,
      onlyChanges: false,
      isLast: ({ queue_position }) => queue_position === null,
    });
}
