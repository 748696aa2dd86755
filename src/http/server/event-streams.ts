import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import type { App } from './app-types.ts';
import { onResponseFinished } from './response-finished.ts';

/** How long a stopping server waits for clients to take the end of their streams. */
const farewellMs = 1_000;

export interface EventStreams {
  /**
   * Answers with what the events say until they end. The signal tells them that the client is gone
   * or that the server stops. Each owner may have so many at once, for each asks the database.
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
    await Promise.race([Promise.all(open.keys()), sleep(farewellMs, undefined, { ref: false })]);
  });

  return {
    send(reply, owner, events) {
      const ofOwner = [...open.values()].filter((other) => other === owner).length;
      if (ofOwner >= limitPerOwner) {
        reply.header('retry-after', 5);
        throw new TributaryError(
          'rate_limited',
          `You have ${ofOwner} streams open already: close one of them first.`,
        );
      }
      const gone = new AbortController();
      const ended = new Promise<void>((resolve) => onResponseFinished(reply, () => resolve())).then(
        () => {
          open.delete(ended);
          gone.abort();
        },
      );
      open.set(ended, owner);
      reply.type('text/event-stream').headers({
        'cache-control': 'no-store',
        // Else nginx holds events back until it has a buffer full of them.
        'x-accel-buffering': 'no',
      });
      return Readable.from(events(AbortSignal.any([gone.signal, stopping.signal])));
    },
  };
}

/** True after a while; false, and at once, if the signal says so. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}

/** One event of a stream, as the HTML standard has it. */
export function serverSentEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** What clients pass over, but what tells them and the proxies between that somebody is there. */
export const heartbeat = ': \n\n';
