import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { pruneInOrder } from '../database/prune-in-order.ts';

export interface AdminCall {
  readonly requestId: string;
  /** The route of the operation. */
  readonly action: string;
  /** The path that was called. */
  readonly target: string;
  readonly remoteAddress: string;
}

export interface RecordedAdminCall extends AdminCall {
  readonly adminCallId: number;
  readonly calledAt: Date;
  /** Null while the call runs, or if the process died during it. */
  readonly status: number | null;
}

export type AdminCalls = ReturnType<typeof createAdminCalls>;

export function createAdminCalls(db: Database) {
  return {
    /** Recorded before the call is carried out, so that no call goes unrecorded. */
    async begin(call: AdminCall): Promise<number> {
      const { admin_call_id } = await db
        .insertInto('admin_call')
        .values({
          request_id: call.requestId,
          action: call.action,
          target: call.target,
          remote_address: call.remoteAddress,
        })
        .returning('admin_call_id')
        .executeTakeFirstOrThrow();
      return admin_call_id;
    },

    async end(adminCallId: number, status: number): Promise<void> {
      await db
        .updateTable('admin_call')
        .set({ status })
        .where('admin_call_id', '=', adminCallId)
        .execute();
    },

    /** Deletes older calls and returns how many. */
    async prune(days: number): Promise<number> {
      return pruneInOrder(db, 'admin_call', sql`admin_call_id`, {
        storedAt: sql`called_at`,
        since: sql`now() - ${days} * interval '1 day'`,
        isExpired: sql`true`,
      });
    },

    /** Newest first, those before `after`. */
    async latest(limit: number, after: number | null = null): Promise<RecordedAdminCall[]> {
      const rows = await db
        .selectFrom('admin_call')
        .selectAll()
        .where('admin_call_id', '<', after ?? Number.MAX_SAFE_INTEGER)
        .orderBy('admin_call_id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        adminCallId: row.admin_call_id,
        requestId: row.request_id,
        calledAt: row.called_at,
        action: row.action,
        target: row.target,
        remoteAddress: row.remote_address,
        status: row.status,
      }));
    },
  };
}
