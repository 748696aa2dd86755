import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { TributaryError } from '../domain/errors.ts';
import type { JobProgress } from '../records/job-progress.ts';
import { preferredType } from './accept.ts';
import type { App } from './app-types.ts';
import { createEventStreams, heartbeat, pause, serverSentEvent } from './event-streams.ts';
import { hasEnded, ProgressSchema, progressOnTheWire } from './progress-figures.ts';

const everyMs = 1_000;
const streamsPerPartner = 50;

export const eventsDescription = `With \`Accept: text/event-stream\` it is told at once and then about every second as an event \`progress\` with the same members, until the work has ended; the last event has queue_position null, and the stream ends with it. Comment lines keep a stream alive while there is nothing to tell. At most ${streamsPerPartner} streams at once.`;

export const ProgressAnswer = {
  description: 'How it stands.',
  content: {
    'application/json': { schema: ProgressSchema },
    'text/event-stream': {
      schema: Type.Unsafe<Readable>({
        type: 'string',
        description: 'Events `progress`, each with the members above in its data.',
        examples: ['event: progress\ndata: {"bytes_read":52428800,…}\n\n'],
      }),
    },
  },
};

/** Answers with what `look` sees, once or until it has ended, as the client prefers. */
export type SendProgress = (
  request: FastifyRequest,
  reply: FastifyReply,
  look: () => Promise<JobProgress>,
) => Promise<Readable | ReturnType<typeof progressOnTheWire>>;

export function createSendProgress(app: App): SendProgress {
  const streams = createEventStreams(app, streamsPerPartner);
  return async function sendProgress(request, reply, look) {
    const progress = await look();
    reply.header('vary', 'accept');
    const { accept } = request.headers;
    if (preferredType(accept, ['application/json', 'text/event-stream']) === 'application/json') {
      reply.header('cache-control', 'no-store');
      return progressOnTheWire(progress);
    }
    return streams.send(reply, request.partnerId, (signal) => follow(progress, look, signal));
  };
}

/** Tells of work until it has ended. While the database is away it only shows that it is there. */
async function* follow(
  first: JobProgress,
  look: () => Promise<JobProgress>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield told(first);
  let latest = first;
  while (!hasEnded(latest) && (await pause(everyMs, signal))) {
    const next = await look().catch(unlessAway);
    if (next) latest = next;
    yield next ? told(next) : heartbeat;
  }
}

function told(progress: JobProgress): string {
  return serverSentEvent('progress', progressOnTheWire(progress));
}

function unlessAway(error: unknown): undefined {
  if (error instanceof TributaryError && error.code === 'unavailable') return undefined;
  throw error;
}
