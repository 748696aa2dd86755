import { Type } from 'typebox';
import type { ConsoleSession } from '../../records/access/console-sessions.ts';
import { partnerPrefix } from '../../records/access/partners.ts';
import { csrfTokenOf } from '../server/session-cookie.ts';
import { Id, Nullable, Timestamp } from '../server/wire.ts';

const SessionMembers = {
  session_id: Id('The session.'),
  kind: Type.Enum(['customer', 'partner', 'operator'], { examples: ['customer'] }),
  name: Type.String({
    description: "Who is signed in: a user's e-mail, a partner's name, or `Operator`.",
    examples: ['ada@harbor.example'],
  }),
  created_at: Timestamp,
  expires_at: Timestamp,
};

export const SessionSchema = Type.Object({
  ...SessionMembers,
  customer_name: Nullable(Type.String(), { examples: ['Harbor Coffee'] }),
  partner_id: Nullable(Id('The partner.')),
  bucket: Nullable(Type.String(), {
    description: 'The bucket a partner uploads to.',
    examples: [null],
  }),
  prefix: Nullable(Type.String(), {
    description: "The partner's prefix in the bucket.",
    examples: [null],
  }),
  csrf_token: Type.String({
    description:
      'Send it as `x-csrf-token` with every request that uses the cookie and changes something.',
  }),
});

export const ListedSessionSchema = Type.Object({
  ...SessionMembers,
  last_used_at: Type.String({ ...Timestamp, description: 'Accurate to the minute.' }),
  remote_address: Type.String({ examples: ['192.0.2.7'] }),
  user_agent: Type.String({ examples: ['Mozilla/5.0 …'] }),
  is_current: Type.Boolean({
    description: 'Whether this request belongs to the session.',
    examples: [true],
  }),
});

export function sessionOnTheWire(session: ConsoleSession, token: string, bucket: string) {
  const partnerId = session.kind === 'partner' ? session.partnerId : null;
  return {
    ...members(session),
    customer_name: session.kind === 'customer' ? session.customerName : null,
    partner_id: partnerId,
    bucket: partnerId === null ? null : bucket,
    prefix: partnerId === null ? null : partnerPrefix(partnerId),
    csrf_token: csrfTokenOf(token),
  };
}

export function listedSessionOnTheWire(session: ConsoleSession, current: number | undefined) {
  return {
    ...members(session),
    last_used_at: session.lastUsedAt.toISOString(),
    remote_address: session.remoteAddress,
    user_agent: session.userAgent,
    is_current: session.sessionId === current,
  };
}

function members(session: ConsoleSession) {
  return {
    session_id: session.sessionId,
    kind: session.kind,
    name: session.kind === 'operator' ? 'Operator' : session.name,
    created_at: session.createdAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
