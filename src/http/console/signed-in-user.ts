import type { FastifyRequest } from 'fastify';
import { TributaryError } from '../../domain/errors.ts';
import type { ConsoleSession } from '../../records/access/console-sessions.ts';

/** The customer's user who is signed in; partners and operators are refused. */
export function signedInUser({
  session,
}: FastifyRequest): Extract<ConsoleSession, { kind: 'customer' }> {
  if (session?.kind === 'customer') return session;
  throw new TributaryError('forbidden', "This is for customers' users.");
}
