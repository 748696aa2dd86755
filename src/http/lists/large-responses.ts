import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { Page } from '../../domain/page.ts';
import { ownerOf } from '../server/live-answers.ts';
import { onResponseFinished } from '../server/response-finished.ts';

type Read<T, Key extends number | string> = (page: Page<Key>) => Promise<readonly T[]>;

export interface LargeResponses {
  /**
   * Counts a large response until it is sent or the client has disconnected. Throws if the owner
   * already receives as many as the limit, because each one takes memory and queries.
   */
  count(request: FastifyRequest, reply: FastifyReply): void;
  /** Reads when the owner's reads before it have ended, so that they take one connection in all. */
  inTurn<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T>;
  /**
   * The same read, but in pieces, and the pieces of an owner one at a time. So its lists take one
   * connection and little time at once, however many it requests, and others are served in between.
   */
  inPieces<T, Key extends number | string>(
    request: FastifyRequest,
    read: Read<T, Key>,
    keyOf: (record: T) => Key,
  ): Read<T, Key>;
}

/** The driver parses the rows of a read without a pause. 1,000 attributes took 12 ms. */
const rowsPerPiece = 200;
/** A read waits no longer for the others of its owner: if the database is frozen, all fail in time. */
const longestWaitMs = 1_000;

export function createLargeResponses(limit: number = limits.largeResponses.most): LargeResponses {
  const open = new Map<string, number>();
  const reads = new Map<string, Promise<unknown>>();

  async function inTurn<T>(request: FastifyRequest, read: () => Promise<T>): Promise<T> {
    const owner = ownerOf(request);
    const previous = reads.get(owner);
    const current = previous ? ended(previous).then(read) : read();
    reads.set(owner, current);
    try {
      return await current;
    } finally {
      if (reads.get(owner) === current) reads.delete(owner);
    }
  }

  return {
    count(request, reply) {
      const owner = ownerOf(request);
      const ofOwner = open.get(owner) ?? 0;
      if (ofOwner >= limit) {
        reply.header('retry-after', 5);
        throw new TributaryError(
          'rate_limited',
          `You already receive ${ofOwner} large responses. Read one of them to its end first, or ask for less with limit.`,
        );
      }
      open.set(owner, ofOwner + 1);
      onResponseFinished(reply, () => {
        const left = open.get(owner)! - 1;
        if (left === 0) open.delete(owner);
        else open.set(owner, left);
      });
    },

    inTurn,

    inPieces(request, read, keyOf) {
      return async ({ after, limit: most }) => {
        const records: Awaited<ReturnType<typeof read>>[number][] = [];
        let last = after;
        for (;;) {
          const wanted = Math.min(rowsPerPiece, most - records.length);
          const piece = await inTurn(request, () => read({ after: last, limit: wanted }));
          records.push(...piece);
          if (piece.length < wanted || records.length === most) return records;
          last = keyOf(piece.at(-1)!);
        }
      };
    },
  };
}

async function ended(read: Promise<unknown>): Promise<void> {
  const waited = new AbortController();
  const timeout = sleep(longestWaitMs, undefined, { signal: waited.signal });
  await Promise.race([read, timeout]).catch(() => {});
  timeout.catch(() => {});
  waited.abort();
}
