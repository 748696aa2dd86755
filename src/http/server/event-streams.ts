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
   * Counts a response that stays open. The signal aborts when the client disconnects or the server stops.
   * Undefined if the owner has as many as the limit, because each one queries the database.
   */
  hold(reply: FastifyReply, owner: string): AbortSignal | undefined;
  /** Responds with a stream of events, which is such a response. Throws if the owner has too many. */
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

  function hold(reply: FastifyReply, owner: string): AbortSignal | undefined {
    const ofOwner = [...open.values()].filter((other) => other === owner).length;
    if (ofOwner >= limitPerOwner) return undefined;
    const disconnected = new AbortController();
    const ended = new Promise<void>((resolve) => onResponseFinished(reply, () => resolve())).then(
      () => {
        open.delete(ended);
        disconnected.abort();
      },
    );
    open.set(ended, owner);
    return AbortSignal.any([disconnected.signal, stopping.signal]);
  }

  return {
    hold,

    send(reply, owner, events) {
      const signal = hold(reply, owner);
      if (!signal) {
        reply.header('retry-after', 5);
        throw new TributaryError(
          'rate_limited',
          `You already have ${limitPerOwner} open streams or waiting requests. Close one of them first.`,
        );
      }
      reply.type('text/event-stream').headers({
        'cache-control': 'no-store',
        // Otherwise nginx buffers the events.
        'x-accel-buffering': 'no',
      });
      return Readable.from(events(signal));
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
