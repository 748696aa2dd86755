import type { FastifyRequest } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import type { ConsoleSession } from '../../records/access/console-sessions.ts';

/** The signed-in customer's user. Partners and operators are refused. */
export function signedInUser({
  session,
}: FastifyRequest): Extract<ConsoleSession, { kind: 'customer' }> {
  if (session?.kind === 'customer') return session;
  throw new TributaryError('forbidden', "Only customers' users may do this.");
}
