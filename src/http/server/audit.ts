import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditActor, AuditCall, AuditChange } from '../../records/database/audit-entries.ts';
import { unchanged } from '../../records/database/audit-entries.ts';
import type { Records } from '../../records/records.ts';
import { clientAddress } from './client-address.ts';
import { onResponseFinished } from './response-finished.ts';
import { pathOf } from './wire.ts';

/** Writes the audit log. */
export interface Audit {
  /** Records a call before it is carried out, and its status and change when it has ended. */
  begin(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Records a write of a partner, in the transaction that carries it out. */
  add(
    tx: Records,
    request: FastifyRequest,
    status: number,
    change?: AuditChange,
    actor?: AuditActor,
  ): Promise<void>;
}

/** `redact` removes secrets from a text. */
export function createAudit(records: Records, redact: (text: string) => string): Audit {
  function callOf(request: FastifyRequest, actor = actorOf(request)): AuditCall {
    return {
      ...actor,
      requestId: request.id,
      action: `${request.method} ${request.routeOptions.url}`,
      target: redact(pathOf(request)),
      remoteAddress: clientAddress(request),
    };
  }

  /** The names of a change are chosen so that it has no secrets. Values may be anything. */
  function redacted({ before, after }: AuditChange): AuditChange {
    const clean = (record: object | null) => record && JSON.parse(redact(JSON.stringify(record)));
    return { before: clean(before), after: clean(after) };
  }

  return {
    async begin(request, reply) {
      const auditEntryId = await records.auditLog.begin(callOf(request));
      onResponseFinished(reply, (status) => {
        const change = status < 400 ? redacted(request.change ?? unchanged) : unchanged;
        records.auditLog.end(auditEntryId, status, change).catch((err) => {
          request.log.warn({ err, audit_entry_id: auditEntryId }, 'audit status not saved');
        });
      });
    },

    async add(tx, request, status, change = unchanged, actor = actorOf(request)) {
      await tx.auditLog.add(callOf(request, actor), status, redacted(change));
    },
  };
}

/** Notes what a call changes, for the audit log. Name each member: none may hold a secret. */
export function noteChange(request: FastifyRequest, change: Partial<AuditChange>): void {
  request.change = { ...unchanged, ...change };
}

const nobody = {
  partnerId: null,
  apiKeyId: null,
  accessKeyId: null,
  customerId: null,
  userId: null,
  clientId: null,
};

function actorOf({
  session,
  partnerId,
  apiKeyId,
  customerId,
  appGrant,
}: FastifyRequest): AuditActor {
  if (session?.kind === 'customer') return userActor(session);
  if (session?.kind === 'partner') {
    const { partnerId: ofKey, apiKeyId: key } = session;
    return { ...nobody, actor: 'partner', partnerId: ofKey, apiKeyId: key, customerId };
  }
  if (partnerId === 0) return { ...nobody, actor: 'operator' };
  const actor = appGrant ? 'app' : 'partner';
  return { ...nobody, actor, partnerId, apiKeyId, customerId, ...appGrant };
}

/** A customer's user, who may not be signed in. */
export function userActor({ customerId, userId }: UserIds): AuditActor {
  return { ...nobody, actor: 'user', customerId, userId };
}

interface UserIds {
  readonly customerId: number;
  readonly userId: number;
}
