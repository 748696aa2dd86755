import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import { preferredType } from './accept.ts';
import type { App } from './app-types.ts';
import { createEventStreams, heartbeat, pause, serverSentEvent } from './event-streams.ts';

/** What a client may be told once, or as it goes on. */
interface LiveAnswer<Seen extends object> {
  /** How things stand, as it is answered once. */
  read(): Promise<Seen>;
  /** What each event is called, and what its data is. */
  readonly event: string;
  data(seen: Seen): object;
  /** How often to look again. */
  readonly intervalMs: number;
  /** Whether to tell only of changes, and not what every look sees. */
  readonly onlyChanges: boolean;
  /** Whether nothing comes after it, so that the stream ends; if left out, it goes on. */
  isLast?(seen: Seen): boolean;
  /** What let the request through. Asked again now and then: by what refuses it the stream ends. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Answers with what is seen, once or by events, as the client prefers. */
export type SendLive = <Seen extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  live: LiveAnswer<Seen>,
) => Promise<Readable | Seen>;

export const streamsPerOwner = 50;

/** How long a stream keeps silent, or goes on without asking whether it still may. */
const beatMs = 15_000;

export function createSendLive(app: App, everyBeatMs = beatMs): SendLive {
  const streams = createEventStreams(app, streamsPerOwner);
  return async function sendLive(request, reply, live) {
    const seen = await live.read();
    reply.header('vary', 'accept');
    const { accept } = request.headers;
    if (preferredType(accept, ['application/json', 'text/event-stream']) === 'application/json') {
      reply.header('cache-control', 'no-store');
      return seen;
    }
    const askAgain = () => live.authorize(request, reply);
    return streams.send(reply, ownerOf(request), (signal) =>
      follow(seen, live, { askAgain, everyBeatMs, signal }),
    );
  };
}

/** What OpenAPI says of such an answer. */
export function liveAnswer<T extends TSchema>(
  schema: T,
  words: { readonly description: string; readonly events: string; readonly example: string },
) {
  return {
    description: words.description,
    content: {
      'application/json': { schema },
      'text/event-stream': {
        schema: Type.Unsafe<Readable>({
          type: 'string',
          description: words.events,
          examples: [words.example],
        }),
      },
    },
  };
}

/** A partner's streams count together, as those of a customer's users do. */
function ownerOf({ partnerId, customerId }: FastifyRequest): string {
  return partnerId === 0 ? `customer ${customerId}` : `partner ${partnerId}`;
}

interface Following {
  /** Throws if whoever follows may not any more. */
  askAgain(): Promise<void>;
  readonly everyBeatMs: number;
  readonly signal: AbortSignal;
}

/** While the database is away a stream only shows that it is there. */
async function* follow<Seen extends object>(
  first: Seen,
  live: LiveAnswer<Seen>,
  { askAgain, everyBeatMs, signal }: Following,
): AsyncGenerator<string> {
  let latest = first;
  let told = serverSentEvent(live.event, live.data(first));
  yield told;
  let toldAt = performance.now();
  let allowedAt = toldAt;
  while (!live.isLast?.(latest) && (await pause(live.intervalMs, signal))) {
    if (performance.now() - allowedAt >= everyBeatMs) {
      if (!(await isAllowed(askAgain))) return;
      allowedAt = performance.now();
    }
    const next = await live.read().catch(unlessItPasses);
    if (next) latest = next;
    const event = next ? serverSentEvent(live.event, live.data(next)) : heartbeat;
    const isNews = event !== told || !live.onlyChanges;
    if (!isNews && performance.now() - toldAt < everyBeatMs) continue;
    yield isNews ? event : heartbeat;
    if (next) told = event;
    toldAt = performance.now();
  }
}

async function isAllowed(ask: () => Promise<void>): Promise<boolean> {
  try {
    await ask().catch(unlessItPasses);
    return true;
  } catch (error) {
    if (error instanceof TributaryError) return false;
    throw error;
  }
}

/** Neither a database that is away nor a client that calls too often is a reason to end a stream. */
function unlessItPasses(error: unknown): undefined {
  const passes = ['unavailable', 'rate_limited'];
  if (error instanceof TributaryError && passes.includes(error.code)) return undefined;
  throw error;
}
