import { type RawBuilder, sql } from 'kysely';

/** Who called. An app acts with a partner's key, for a user. */
export interface AuditActor {
  readonly actor: 'operator' | 'partner' | 'user' | 'app';
  readonly partnerId: number | null;
  readonly apiKeyId: number | null;
  /** Of storage credentials. */
  readonly accessKeyId: string | null;
  readonly customerId: number | null;
  readonly userId: number | null;
  readonly clientId: string | null;
}

/** A record before and after a call, without secrets. Null if it did not exist, or was not changed. */
export interface AuditChange {
  readonly before: object | null;
  readonly after: object | null;
}

export const unchanged: AuditChange = Object.freeze({ before: null, after: null });

export interface AuditCall extends AuditActor {
  readonly requestId: string;
  /** The route of the operation, or S3's name for it. */
  readonly action: string;
  /** The path that was called. */
  readonly target: string;
  readonly remoteAddress: string;
}

/** The names of S3's permissions, so that one name finds every way to write an object. */
export const objectActions = ['s3:PutObject', 's3:DeleteObject'] as const;
export type ObjectAction = (typeof objectActions)[number];

/** A call that is recorded when its change is committed. */
export interface AuditedWrite extends AuditCall {
  readonly status: number;
}

/** The statement that adds an entry, alone or as a part of another statement. */
export function insertAuditEntry(
  call: AuditCall,
  status: number | null,
  { before, after }: AuditChange,
): RawBuilder<unknown> {
  return sql`
    insert into audit_entry (
      request_id, action, target, remote_address, actor, partner_id, api_key_id, access_key_id,
      customer_id, user_id, client_id, status, before, after
    ) values (
      ${call.requestId}, ${call.action}, ${call.target}, ${call.remoteAddress}, ${call.actor},
      ${call.partnerId}, ${call.apiKeyId}, ${call.accessKeyId}, ${call.customerId}, ${call.userId},
      ${call.clientId}, ${status}, ${before && JSON.stringify(before)},
      ${after && JSON.stringify(after)}
    )
  `;
}
