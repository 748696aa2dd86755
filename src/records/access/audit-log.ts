import { type RawBuilder, sql } from 'kysely';
import type { Page } from '../../domain/page.ts';
import {
  type AuditActor,
  type AuditCall,
  type AuditChange,
  insertAuditEntry,
  objectActions,
  unchanged,
} from '../database/audit-entries.ts';
import type { Database } from '../database/connection.ts';
import { pruneInOrder } from '../database/prune-in-order.ts';

export interface AuditEntry extends AuditCall, AuditChange {
  readonly auditEntryId: number;
  readonly calledAt: Date;
  /** Null while the call runs, or if the process died during it. */
  readonly status: number | null;
  /** The names of now, if they still exist. */
  readonly partnerName: string | null;
  readonly apiKeyLabel: string | null;
  readonly email: string | null;
  readonly appName: string | null;
}

/** Which entries to read. Without a filter, all. */
export interface AuditFilter {
  readonly actor?: AuditActor['actor'] | undefined;
  readonly partnerId?: number | undefined;
  readonly customerId?: number | undefined;
  readonly action?: string | undefined;
  /** Leaves out calls that only read. */
  readonly onlyChanges?: boolean | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** For how many days entries are kept. */
interface AuditRetention {
  readonly auditDays: number;
  readonly auditReadDays: number;
  readonly auditObjectDays: number;
}

export type AuditLog = ReturnType<typeof createAuditLog>;

export function createAuditLog(db: Database) {
  return {
    /** Recorded before the call is carried out, so that no call goes unrecorded. */
    begin: (call: AuditCall): Promise<number> => insert(call, null, unchanged),

    async end(auditEntryId: number, status: number, change: AuditChange): Promise<void> {
      await db
        .updateTable('audit_entry')
        .set({
          status,
          before: change.before && JSON.stringify(change.before),
          after: change.after && JSON.stringify(change.after),
        })
        .where('audit_entry_id', '=', auditEntryId)
        .execute();
    },

    /** The same in one step; call it in the transaction of the change. */
    async add(call: AuditCall, status: number, change: AuditChange): Promise<void> {
      await insert(call, status, change);
    },

    /** Deletes older entries and returns how many. Reads, and writes of objects, can be kept for a shorter time. */
    async prune({ auditDays, auditReadDays, auditObjectDays }: AuditRetention): Promise<number> {
      let pruned = await pruneOlder(sql`true`, auditDays);
      pruned += await pruneOlder(isRead, auditReadDays);
      for (const action of objectActions) {
        pruned += await pruneOlder(sql`action = ${action}`, auditObjectDays);
      }
      return pruned;
    },

    /** Newest first, those before `after`. */
    async list(filter: AuditFilter, { after, limit }: Page): Promise<AuditEntry[]> {
      const { rows } = await sql<AuditEntry>`
        select audit_entry_id as "auditEntryId", request_id as "requestId", called_at as "calledAt",
          actor, entry.partner_id as "partnerId", entry.api_key_id as "apiKeyId",
          access_key_id as "accessKeyId",
          entry.customer_id as "customerId", entry.user_id as "userId", entry.client_id as "clientId",
          action, target, before, after, remote_address as "remoteAddress", status,
          partner.name as "partnerName", api_key.label as "apiKeyLabel", email, oauth_app.name as "appName"
        from (
          select * from audit_entry
          where audit_entry_id < ${after ?? Number.MAX_SAFE_INTEGER} and ${matching(filter)}
          order by audit_entry_id desc limit ${limit}
        ) as entry
        left join partner on partner.partner_id = entry.partner_id
        left join api_key on api_key.api_key_id = entry.api_key_id
        left join customer_user on customer_user.user_id = entry.user_id
        left join oauth_app on oauth_app.client_id = entry.client_id
        order by audit_entry_id desc
      `.execute(db);
      return rows;
    },
  };

  function pruneOlder(among: RawBuilder<unknown>, days: number): Promise<number> {
    return pruneInOrder(db, 'audit_entry', sql`audit_entry_id`, {
      among,
      storedAt: sql`called_at`,
      since: sql`now() - ${days} * interval '1 day'`,
      isExpired: sql`true`,
    });
  }

  async function insert(
    call: AuditCall,
    status: number | null,
    change: AuditChange,
  ): Promise<number> {
    const { rows } = await sql<{ audit_entry_id: number }>`
      ${insertAuditEntry(call, status, change)} returning audit_entry_id
    `.execute(db);
    return rows[0]!.audit_entry_id;
  }
}

/** As literal text, the conditions of two indexes. */
const isChange = sql`action not like 'GET %' and action not like 'HEAD %'`;
const isRead = sql`(action like 'GET %' or action like 'HEAD %')`;

function matching(filter: AuditFilter): RawBuilder<boolean> {
  const { actor, partnerId, customerId, action, onlyChanges = false, since, until } = filter;
  const conditions = [
    actor === undefined ? null : sql`actor = ${actor}`,
    partnerId === undefined ? null : sql`partner_id = ${partnerId}`,
    customerId === undefined ? null : sql`customer_id = ${customerId}`,
    action === undefined ? null : sql`action = ${action}`,
    onlyChanges ? isChange : null,
    since === undefined ? null : sql`called_at >= ${since}`,
    until === undefined ? null : sql`called_at < ${until}`,
  ].filter((condition) => condition !== null);
  if (conditions.length === 0) return sql<boolean>`true`;
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
