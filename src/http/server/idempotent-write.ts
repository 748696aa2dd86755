import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import type { Records } from '../../records/records.ts';

/** What every write takes besides its body. */
export const WriteHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x20-\\x7e]+$',
      description:
        'A name of your choice for this request: printable ASCII. Sent again within 24 hours with the same body, it takes effect once and is answered as it was the first time; with another body it is refused. A request that was refused leaves no trace.',
    }),
  ),
});

interface WriteAnswer<T> {
  readonly status: number;
  /** The path of what the write made or queued. */
  readonly location: string | null;
  readonly body: T;
}

/** Takes effect in one transaction, and answers; the request's own answer, if it came before. */
export type Write = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  effect: (records: Records) => Promise<WriteAnswer<T>>,
) => Promise<T>;

export function createWrite(records: Records): Write {
  return async function write(request, reply, effect) {
    const answer = await records.inTransaction((tx) => once(tx, request, () => effect(tx)));
    reply.code(answer.status);
    if (answer.location !== null) reply.header('location', answer.location);
    return answer.body;
  };
}

/** The effect, unless a request with the same Idempotency-Key had it already. */
async function once<T>(
  records: Records,
  request: FastifyRequest,
  effect: () => Promise<WriteAnswer<T>>,
): Promise<WriteAnswer<T>> {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return effect();
  const name = [request.partnerId, routeOf(request), key, hashOf(request.body)] as const;
  const before = await records.idempotency.begin(...name);
  switch (before) {
    case 'new': {
      const answer = await effect();
      await records.idempotency.save(...name, answer);
      return answer;
    }
    case 'under_way':
      throw new TributaryError(
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key is still under way: send it again shortly.',
      );
    case 'other_body':
      throw new TributaryError(
        'idempotency_key_reused',
        'This Idempotency-Key came with another body before: send the same body, or another key.',
      );
    default:
      // Written by this very route, which has answers of one shape.
      return before as WriteAnswer<T>;
  }
}

/**
 * The route with the ids in its path, and for whom it was called: the same change to two records,
 * or for two customers, is not the same request.
 */
function routeOf({ method, routeOptions, params, customerId }: FastifyRequest): string {
  const ids = Object.values(params as Record<string, string>);
  const customer = customerId === null ? [] : [`for customer ${customerId}`];
  return [method, routeOptions.url, ...ids, ...customer].join(' ');
}

function hashOf(body: unknown): string {
  return createHash('sha256').update(canonical(body)).digest('hex');
}

/** Equal for bodies that are equal as JSON, however they were written. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}
