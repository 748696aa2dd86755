import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import type { Party } from './access.ts';
import { partnerPrefix } from './partners.ts';

/** A removed partner or customer whose data is not deleted yet. */
export interface Removal extends Party {
  readonly name: string;
  readonly removedAt: Date;
}

/** An audience to be removed, and to whom it belongs. */
interface RemovedAudience {
  readonly audienceId: number;
  readonly partnerId: number;
  readonly customerId: number | null;
}

export type Removals = ReturnType<typeof createRemovals>;

/** The data of removed partners and customers that is still to be deleted. */
export function createRemovals(db: Database) {
  return {
    /**
     * Marks a disabled partner or customer as removed, and deletes its credentials. Call it in the
     * transaction that disables it.
     */
    async begin({ kind, id }: Party): Promise<Date> {
      const ofParty = sql`${sql.ref(`${kind}_id`)} = ${id}`;
      const tables =
        kind === 'partner'
          ? (['storage_credential', 'user_token', 'oauth_app', 'api_key'] as const)
          : (['user_token', 'customer_user'] as const);
      for (const table of tables) {
        await sql`delete from ${sql.table(table)} where ${ofParty}`.execute(db);
      }
      if (kind === 'partner') {
        await sql`
          delete from webhook_secret using webhook
          where webhook.webhook_id = webhook_secret.webhook_id and ${ofParty}
        `.execute(db);
      }
      const { rows } = await sql<{ removedAt: Date }>`
        update ${sql.table(kind)} set removed_at = now() where ${ofParty}
        returning removed_at as "removedAt"
      `.execute(db);
      return rows[0]!.removedAt;
    },

    /** The oldest first. */
    async pending(): Promise<Removal[]> {
      const { rows } = await sql<Removal>`
        select 'partner' as kind, partner_id as id, name, removed_at as "removedAt"
        from partner where removed_at is not null and deleted_at is null
        union all
        select 'customer', customer_id, name, removed_at from customer where removed_at is not null
        order by "removedAt", kind, id
      `.execute(db);
      return rows;
    },

    async audiencesOf({ kind, id }: Party, limit: number): Promise<RemovedAudience[]> {
      const { rows } = await sql<RemovedAudience>`
        select audience_id as "audienceId", partner_id as "partnerId", customer_id as "customerId"
        from audience where ${sql.ref(`${kind}_id`)} = ${id} order by audience_id limit ${limit}
      `.execute(db);
      return rows;
    },

    async loadsOf(audienceId: number, limit: number): Promise<number[]> {
      const { rows } = await sql<{ jobId: number }>`
        select job_id as "jobId" from audience_load where audience_id = ${audienceId} limit ${limit}
      `.execute(db);
      return rows.map(({ jobId }) => jobId);
    },

    /** Deletes an audience without devices, files and loads; call it in a transaction. */
    async dropAudience({ audienceId, partnerId }: RemovedAudience): Promise<void> {
      // With the audience locked, no refresh can save its composition again.
      const { rows } = await sql<{ segmentId: number }>`
        select segment_id as "segmentId" from audience where audience_id = ${audienceId} for update
      `.execute(db);
      if (!rows[0]) return;
      for (const table of [
        'composition',
        'audience_history',
        'supplier_baseline',
        'privacy_finding',
      ] as const) {
        await sql`delete from ${sql.table(table)} where audience_id = ${audienceId}`.execute(db);
      }
      await sql`delete from audience where audience_id = ${audienceId}`.execute(db);
      await sql`delete from segment where segment_id = ${rows[0].segmentId}`.execute(db);
      await sql`
        update partner set audiences = audiences - 1 where partner_id = ${partnerId}
      `.execute(db);
    },

    async attributesOf(partnerId: number, limit: number): Promise<{ segmentId: number }[]> {
      const { rows } = await sql<{ segmentId: number }>`
        select segment_id as "segmentId" from attribute
        where partner_id = ${partnerId} order by attribute_id limit ${limit}
      `.execute(db);
      return rows;
    },

    async jobsOf(partnerId: number, limit: number): Promise<number[]> {
      const { rows } = await sql<{ jobId: number }>`
        select job_id as "jobId" from job where partner_id = ${partnerId}
        order by job_id limit ${limit}
      `.execute(db);
      return rows.map(({ jobId }) => jobId);
    },

    /** Call it when everything else is deleted. */
    async finish({ kind, id }: Party): Promise<void> {
      if (kind === 'customer') {
        await sql`delete from customer where customer_id = ${id}`.execute(db);
        return;
      }
      await deleteInBatches(db, 'idempotency_key', sql`partner_id = ${id}`);
      // `0` follows `/`.
      const isTheirs = sql`key >= ${partnerPrefix(id)} and key < ${`partner-${id}0`}`;
      await deleteInBatches(db, 'loaded_file', isTheirs);
      await deleteInBatches(db, 'privacy_finding', sql`partner_id = ${id}`);
      await deleteInBatches(db, 'supplier_baseline', sql`partner_id = ${id}`);
      await deleteInBatches(db, 'job_day', sql`partner_id = ${id}`);
      // Deliveries and attempts first, so that no statement deletes too many rows by a cascade.
      const webhooks = sql`select webhook_id from webhook where partner_id = ${id}`;
      const deliveries = sql`select delivery_id from webhook_delivery where webhook_id in (${webhooks})`;
      await deleteInBatches(db, 'webhook_attempt', sql`delivery_id in (${deliveries})`);
      await deleteInBatches(db, 'webhook_delivery', sql`webhook_id in (${webhooks})`);
      await deleteInBatches(db, 'webhook_event', sql`partner_id = ${id}`);
      await deleteInBatches(db, 'webhook', sql`partner_id = ${id}`);
      await sql`update partner set deleted_at = now() where partner_id = ${id}`.execute(db);
    },
  };
}
