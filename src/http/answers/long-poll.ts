import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { type EventStreams, pause } from '../server/event-streams.ts';
import { ignoreTransient, ownerOf } from '../server/live-answers.ts';

const longestSeconds = limits.waitSeconds.most;

/** The header of a read that can wait. */
export const WaitHeaders = Type.Object({
  Prefer: Type.Optional(
    Type.String({
      description: `\`wait=30\`: respond when the job has ended, or after 30 seconds. ${longestSeconds} seconds at most. \`Preference-Applied\` has the time that was applied. If ${limits.openStreams.most} of your requests and event streams are open, the response is sent at once without that header: ask again after a few seconds.`,
    }),
  ),
});

/** The headers of its response. */
export const waitResponseHeaders = {
  'Preference-Applied': {
    type: 'string',
    description:
      'The longest wait that was applied, such as `wait=30`. Absent if the request did not ask for one, or was not allowed to wait.',
  },
};

interface AwaitedState<State> {
  read(): Promise<State>;
  isLast(state: NoInfer<State>): boolean;
  /** Throws if the client has lost access while it waited. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/**
 * Reads until the state is the last one, if the client prefers to wait. It returns the latest state when the
 * time is over, the client disconnects or the server stops. Between two reads it holds no connection to the
 * database. A waiting request counts as an open stream of its owner. If the owner has too many, it does not
 * wait: RFC 7240 lets a server ignore a preference.
 */
export type WaitFor = <State>(
  request: FastifyRequest,
  reply: FastifyReply,
  awaited: AwaitedState<State>,
) => Promise<State>;

const firstPauseMs = 100;
const longestPauseMs = 1_000;

export function createWaitFor(streams: Pick<EventStreams, 'hold'>): WaitFor {
  return async function waitFor(request, reply, { read, isLast, authorize }) {
    let state = await read();
    const seconds = preferredWait(request.headers.prefer);
    if (seconds === undefined) return state;
    const applied = () => reply.header('preference-applied', `wait=${seconds}`);
    if (isLast(state)) {
      applied();
      return state;
    }
    const left = streams.hold(reply, ownerOf(request));
    if (!left) return state;
    applied();
    const signal = AbortSignal.any([left, AbortSignal.timeout(seconds * 1000)]);
    // Short jobs are answered soon, and long jobs cost one read per second.
    let pauseMs = firstPauseMs;
    while (!isLast(state) && (await pause(pauseMs, signal))) {
      state = (await read().catch(ignoreTransient)) ?? state;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
    await authorize(request, reply);
    return state;
  };
}

/** The `wait` of a Prefer header (RFC 7240) in seconds. Undefined: none, or not a number. */
export function preferredWait(header: string | string[] | undefined): number | undefined {
  const wait = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[,;]|$)/i.exec(String(header ?? ''))?.[1];
  return wait === undefined ? undefined : Math.min(Number(wait), longestSeconds);
}
