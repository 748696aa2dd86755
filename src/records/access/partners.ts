import { sql } from 'kysely';
import type { DisclosureMode } from '../../domain/disclosure/disclosure.ts';
import { displayName } from '../../domain/display-name.ts';
import { limits } from '../../domain/limits.ts';
import { firstPage, type Page } from '../../domain/page.ts';
import { atomically, type Database } from '../database/connection.ts';
import { refuseBeyondLimit } from '../database/record-limits.ts';

export interface Partner {
  readonly partnerId: number;
  readonly name: string;
  /** The prefix of its keys in the shared bucket. No prefix begins with another. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** Null if its access is enabled. */
  readonly disabledAt: Date | null;
  /** What its reports reveal. Null: as the service does by default. */
  readonly disclosure: DisclosureMode | null;
}

/** A partner whose uploads are deleted this many days after they were last loaded. */
export interface RetainedUploads {
  readonly partnerId: number;
  readonly prefix: string;
  readonly days: number;
}

export type Partners = ReturnType<typeof createPartners>;

export function createPartners(db: Database) {
  return {
    async create(name: string, storageQuota: number | null = null): Promise<Partner> {
      return atomically(db, async (tx) => {
        await refuseBeyondLimit(tx, {
          records: 'partners',
          most: limits.partners.most,
          ownerId: 0,
          present: sql`partner where removed_at is null`,
          advice: 'Use partners that exist.',
        });
        const row = await tx
          .insertInto('partner')
          .values({ name: displayName(name), storage_quota: storageQuota })
          .returningAll()
          .executeTakeFirstOrThrow();
        await tx.insertInto('lane').values({ partner_id: row.partner_id }).execute();
        return partner(row);
      });
    },

    /** Sets how many bytes the partner may keep in the embedded object store; null for any number. */
    async setStorageQuota(partnerId: number, quota: number | null): Promise<void> {
      await db
        .updateTable('partner')
        .set({ storage_quota: quota })
        .where('partner_id', '=', partnerId)
        .execute();
    },

    /** Sets for how many days uploads are kept: 0 for good, null as the service does by default. */
    async setUploadRetention(partnerId: number, days: number | null): Promise<void> {
      await db
        .updateTable('partner')
        .set({ upload_retention_days: days })
        .where('partner_id', '=', partnerId)
        .execute();
    },

    /** Sets what its reports reveal; null for the service's default. Held reports are released. */
    async setDisclosure(partnerId: number, mode: DisclosureMode | null): Promise<void> {
      await sql`
        with changed as (
          update partner set disclosure = ${mode} where partner_id = ${partnerId}
        )
        update audience set report_held_until = null
        where partner_id = ${partnerId} and report_held_until is not null
      `.execute(db);
    },

    /** The partners whose uploads are deleted, if those without a number of their own have this one. */
    async withUploadRetention(byDefault: number | null): Promise<RetainedUploads[]> {
      const { rows } = await sql<{ partnerId: number; days: number }>`
        select partner_id as "partnerId", days
        from (
          select *, coalesce(upload_retention_days, ${byDefault}::integer) as days from partner
        ) as partner
        where days > 0 and removed_at is null
        order by partner_id
      `.execute(db);
      return rows.map((row) => ({ ...row, prefix: partnerPrefix(row.partnerId) }));
    },

    /**
     * The most days for which any partner's uploads are kept, and how many partners' are kept for good.
     * With `onlyStoring`, partners without bytes in the embedded store are left out.
     */
    async longestUploadRetention(
      byDefault: number | null,
      { onlyStoring }: { readonly onlyStoring: boolean },
    ): Promise<{ days: number; keptForGood: number }> {
      const isStoring = sql`(
        select sum(bytes) > 0 from storage_use where storage_use.partner_id = partner.partner_id
      )`;
      const { rows } = await sql<{ days: number; keptForGood: number }>`
        select coalesce(max(days), 0) as days, count(*) filter (where days = 0) as "keptForGood"
        from (
          select coalesce(upload_retention_days, ${byDefault}::integer, 0) as days from partner
          where removed_at is null and (${!onlyStoring} or ${isStoring})
        ) as kept
      `.execute(db);
      return rows[0]!;
    },

    async find(partnerId: number): Promise<Partner | undefined> {
      const row = await db
        .selectFrom('partner')
        .selectAll()
        .where('partner_id', '=', partnerId)
        .where('removed_at', 'is', null)
        .executeTakeFirst();
      return row && partner(row);
    },

    /** The external ID that trust policies of the partner's roles must name. */
    async externalId(partnerId: number): Promise<string> {
      const row = await db
        .selectFrom('partner')
        .select('external_id')
        .where('partner_id', '=', partnerId)
        .executeTakeFirstOrThrow();
      return row.external_id;
    },

    /** Ordered by id. */
    async list({ after, limit }: Page = firstPage): Promise<Partner[]> {
      const rows = await db
        .selectFrom('partner')
        .selectAll()
        .where('partner_id', '>', after ?? 0)
        .where('removed_at', 'is', null)
        .orderBy('partner_id')
        .limit(limit)
        .execute();
      return rows.map(partner);
    },
  };
}

function partner(row: {
  partner_id: number;
  name: string;
  created_at: Date;
  disabled_at: Date | null;
  disclosure: DisclosureMode | null;
}): Partner {
  return {
    partnerId: row.partner_id,
    name: row.name,
    prefix: partnerPrefix(row.partner_id),
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    disclosure: row.disclosure,
  };
}

export function partnerPrefix(partnerId: number): string {
  return `partner-${partnerId}/`;
}
