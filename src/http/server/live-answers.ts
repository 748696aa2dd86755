import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import { preferredType } from './accept.ts';
import { type EventStreams, heartbeat, pause, serverSentEvent } from './event-streams.ts';

/** State that a client can read once as JSON, or follow as a stream of events. */
interface LiveResource<State extends object> {
  read(): Promise<State>;
  /** The name of each event. */
  readonly event: string;
  /** The data of an event. */
  data(state: State): object;
  /** Time between two reads. */
  readonly intervalMs: number;
  /** Whether to send an event only if it differs from the last one. */
  readonly onlyChanges: boolean;
  /** Whether the stream ends after this state. Without it, the stream does not end by itself. */
  isLast?(state: State): boolean;
  /** The authorization of the request. Repeated while the stream is open, which ends if it fails. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** Responds with JSON or with a stream of events, as the Accept header prefers. */
export type SendLive = <State extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  live: LiveResource<State>,
) => Promise<Readable | State>;

/** How often an idle stream sends a heartbeat, and how often its authorization is repeated. */
const defaultHeartbeatMs = 15_000;

export function createSendLive(
  streams: Pick<EventStreams, 'send'>,
  heartbeatMs = defaultHeartbeatMs,
): SendLive {
  return async function sendLive(request, reply, live) {
    const state = await live.read();
    reply.header('vary', 'accept');
    const { accept } = request.headers;
    if (preferredType(accept, ['application/json', 'text/event-stream']) === 'application/json') {
      reply.header('cache-control', 'no-store');
      return state;
    }
    const reauthorize = () => live.authorize(request, reply);
    return streams.send(reply, ownerOf(request), (signal) =>
      follow(state, live, { reauthorize, heartbeatMs, signal }),
    );
  };
}

/** The OpenAPI response of a live resource. */
export function liveResponse<T extends TSchema>(
  schema: T,
  texts: { readonly description: string; readonly events: string; readonly example: string },
) {
  return {
    description: texts.description,
    content: {
      'application/json': { schema },
      'text/event-stream': {
        schema: Type.Unsafe<Readable>({
          type: 'string',
          description: texts.events,
          examples: [texts.example],
        }),
      },
    },
  };
}

/** The streams of a partner count together, and so do those of a customer's users. */
export function ownerOf({ partnerId, customerId }: FastifyRequest): string {
  if (partnerId !== 0) return `partner ${partnerId}`;
  return customerId === null ? 'operator' : `customer ${customerId}`;
}

interface FollowOptions {
  /** Throws if the client has lost access. */
  reauthorize(): Promise<void>;
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
}

/** While the database is unavailable, the stream sends only heartbeats. */
async function* follow<State extends object>(
  first: State,
  live: LiveResource<State>,
  { reauthorize, heartbeatMs, signal }: FollowOptions,
): AsyncGenerator<string> {
  let latest = first;
  let sent = serverSentEvent(live.event, live.data(first));
  yield sent;
  let sentAt = performance.now();
  let authorizedAt = sentAt;
  while (!live.isLast?.(latest) && (await pause(live.intervalMs, signal))) {
    if (performance.now() - authorizedAt >= heartbeatMs) {
      if (!(await isAuthorized(reauthorize))) return;
      authorizedAt = performance.now();
    }
    const next = await live.read().catch(ignoreTransient);
    if (next) latest = next;
    const event = next ? serverSentEvent(live.event, live.data(next)) : heartbeat;
    const isDue = event !== sent || !live.onlyChanges;
    if (!isDue && performance.now() - sentAt < heartbeatMs) continue;
    yield isDue ? event : heartbeat;
    if (next) sent = event;
    sentAt = performance.now();
  }
}

async function isAuthorized(reauthorize: () => Promise<void>): Promise<boolean> {
  try {
    await reauthorize().catch(ignoreTransient);
    return true;
  } catch (error) {
    if (error instanceof TributaryError) return false;
    throw error;
  }
}

/** An unavailable database or a reached rate limit does not end a stream or a wait. */
export function ignoreTransient(error: unknown): undefined {
  const transient = ['unavailable', 'rate_limited'];
  if (error instanceof TributaryError && transient.includes(error.code)) return undefined;
  throw error;
}
