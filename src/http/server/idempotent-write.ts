import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { TributaryError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { type AuditChange, unchanged } from '../../records/database/audit-entries.ts';
import type { Records } from '../../records/records.ts';
import type { Audit } from './audit.ts';

/** The headers that every write accepts. */
export const WriteHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.idempotencyKeyCharacters.most,
      pattern: '^[\\x20-\\x7e]+$',
      description:
        'A unique key for this request, in printable ASCII. If you send the same key and body again within 24 hours, the request is not executed again and you get the first response. The same key with a different body is rejected. A failed request does not use up its key.',
    }),
  ),
});

interface WriteAnswer<T> {
  readonly status: number;
  /** The path of the created or queued record. */
  readonly location: string | null;
  readonly body: T;
  /** What changed, for the audit log. Without secrets. */
  readonly change?: Partial<AuditChange>;
}

/**
 * Runs the effect in one transaction, which ends before the caller's access can be disabled. A repeated
 * request gets its first response instead.
 */
export type Write = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  effect: (records: Records) => Promise<WriteAnswer<T>>,
) => Promise<T>;

export function createWrite(records: Records, audit: Audit): Write {
  return async function write(request, reply, effect) {
    const answer = await records.inTransaction(async (tx) => {
      await tx.access.hold(request.partnerId, request.customerId);
      return once(tx, request, async () => {
        const { change, ...done } = await effect(tx);
        await audit.add(tx, request, done.status, { ...unchanged, ...change });
        return done;
      });
    });
    reply.code(answer.status);
    if (answer.location !== null) reply.header('location', answer.location);
    return answer.body;
  };
}

/**
 * Runs the effect unless a request with the same Idempotency-Key has already run it. Call it in the
 * transaction of the effect.
 */
export async function once<T>(
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
        'The first request with this Idempotency-Key is still in progress. Send it again shortly.',
      );
    case 'other_body':
      throw new TributaryError(
        'idempotency_key_reused',
        'This Idempotency-Key was already used with a different body. Send the same body, or use a new key.',
      );
    default:
      // Saved by the same route, whose responses all have this type.
      return before as WriteAnswer<T>;
  }
}

/**
 * The route with the ids in its path and the customer: the same change to two records, or for two
 * customers, is two requests.
 */
function routeOf({ method, routeOptions, params, customerId }: FastifyRequest): string {
  const ids = Object.values(params as Record<string, string>);
  const customer = customerId === null ? [] : [`for customer ${customerId}`];
  return [method, routeOptions.url, ...ids, ...customer].join(' ');
}

function hashOf(body: unknown): string {
  return createHash('sha256').update(canonical(body)).digest('hex');
}

/** JSON with sorted keys, equal for bodies that are equal as JSON. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}
