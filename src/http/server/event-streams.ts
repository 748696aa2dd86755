import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from './app-types.ts';
import { onResponseFinished } from './response-finished.ts';

/** How long a stopping server waits for clients to receive the end of their streams. */
const closingGraceMs = 1_000;

export interface EventStreams {
  /**
   * Responds with a stream of events. The signal aborts when the client disconnects or the server
   * stops. The number of streams per owner is limited, because each one queries the database.
   */
  send(
    reply: FastifyReply,
    owner: string,
    events: (signal: AbortSignal) => AsyncIterable<string>,
  ): Readable;
}

export function createEventStreams(app: App, limitPerOwner: number): EventStreams {
  const stopping = new AbortController();
  const open = new Map<Promise<void>, string>();
  app.addHook('preClose', async () => {
    stopping.abort();
    await Promise.race([
      Promise.all(open.keys()),
      sleep(closingGraceMs, undefined, { ref: false }),
    ]);
  });

  return {
    send(reply, owner, events) {
      const ofOwner = [...open.values()].filter((other) => other === owner).length;
      if (ofOwner >= limitPerOwner) {
        reply.header('retry-after', 5);
        throw new TributaryError(
          'rate_limited',
          `You already have ${ofOwner} open streams. Close one of them first.`,
        );
      }
      const disconnected = new AbortController();
      const ended = new Promise<void>((resolve) => onResponseFinished(reply, () => resolve())).then(
        () => {
          open.delete(ended);
          disconnected.abort();
        },
      );
      open.set(ended, owner);
      reply.type('text/event-stream').headers({
        'cache-control': 'no-store',
        // Otherwise nginx buffers the events.
        'x-accel-buffering': 'no',
      });
      return Readable.from(events(AbortSignal.any([disconnected.signal, stopping.signal])));
    },
  };
}

/** Resolves to true after the time has passed, or to false as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}

/** One event in the format of the HTML standard. */
export function serverSentEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A comment line, which clients ignore, keeps the connection alive. */
export const heartbeat = ': \n\n';
