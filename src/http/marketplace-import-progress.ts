import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { TributaryError } from '../domain/errors.ts';
import type { JobProgress } from '../records/job-progress.ts';
import type { Records } from '../records/records.ts';
import { preferredType } from './accept.ts';
import type { App } from './app-types.ts';
import type { Auth } from './auth.ts';
import { createEventStreams, heartbeat, pause, serverSentEvent } from './event-streams.ts';
import { ImportLogPath } from './import-log-wire.ts';
import { hasEnded, ProgressSchema, progressOnTheWire } from './progress-figures.ts';
import { found, parseId } from './wire.ts';

const everyMs = 1_000;
const streamsPerPartner = 50;

export function registerMarketplaceImportProgress(app: App, records: Records, auth: Auth): void {
  const streams = createEventStreams(app, streamsPerPartner);

  app.get(
    '/v1/marketplace/import/:import_log_id/progress',
    {
      onRequest: auth.partner,
      schema: {
        tags: ['Marketplace import'],
        security: [{ apiKey: [] }],
        operationId: 'getImportProgress',
        summary: 'Get progress',
        description: `How far a job has come, how fast it goes, and what it waits for. With \`Accept: text/event-stream\` it is told at once and then about every second as an event \`progress\` with the same members, until the job has ended; the last event has queue_position null, and the stream ends with it. Comment lines keep a stream alive while there is nothing to tell. At most ${streamsPerPartner} streams at once.`,
        params: ImportLogPath,
        response: {
          200: {
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
          },
        },
      },
    },
    async (request, reply) => {
      const { partnerId } = request;
      const importLogId = parseId(request.params.import_log_id, 'import log');
      found(await records.importLogs.find(partnerId, importLogId), 'import log');
      const look = async () =>
        found(await records.jobProgress.of(partnerId, importLogId), 'import log');
      const progress = await look();
      reply.header('vary', 'accept');
      const { accept } = request.headers;
      if (preferredType(accept, ['application/json', 'text/event-stream']) === 'application/json') {
        reply.header('cache-control', 'no-store');
        return progressOnTheWire(progress);
      }
      return streams.send(reply, partnerId, (signal) => follow(progress, look, signal));
    },
  );
}

/** Tells of a job until it has ended. While the database is away it only shows that it is there. */
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
