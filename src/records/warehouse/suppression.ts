import { sql } from 'kysely';
import { atomically, type Database } from '../database/connection.ts';
import { refuseNewerSchema } from '../database/schema-version.ts';
import { createManifest, type ManifestChange, type Run, toRun } from './manifest.ts';

/** The versions of the two suppressed sets. */
export interface SuppressionVersions {
  readonly plain: number;
  readonly digests: number;
}

/** The devices that must not be stored: the digests of all, and those that may still be stored. */
export interface SuppressionState {
  readonly plain: SuppressedSegment;
  readonly digests: SuppressedSegment;
  /** The segment with the digests of which a device was found stored. */
  readonly matchedSegmentId: number;
  /** The version of the plain devices that was taken out of all other segments. */
  readonly appliedVersion: number;
  /** The version of the digests against which everything stored was checked. */
  readonly resolvedVersion: number;
  readonly universeSegmentId: number;
  /** Whether audiences may hold suppressed devices. */
  readonly onlyMarketplace: boolean;
}

interface SuppressedSegment {
  readonly segmentId: number;
  readonly version: number;
  readonly devices: number;
}

/** How many devices were taken out of the attributes and audiences of a partner. */
export interface PartnerRemoval {
  readonly partnerId: number;
  /** Over all its attributes and audiences, so a device counts in each of them. */
  readonly memberships: number;
  /** The most that one of them lost. At least as many devices were removed. */
  readonly devices: number;
}

/** The suppressed sets have changed since the caller read them. Nothing was changed. */
export class SuppressionChanged extends Error {
  override readonly name = 'SuppressionChanged';
  readonly now: SuppressionVersions;

  constructor(now: SuppressionVersions) {
    super('devices were suppressed meanwhile');
    this.now = now;
  }
}

type RunRow = Parameters<typeof toRun>[0];

export type Suppression = ReturnType<typeof createSuppression>;

export function createSuppression(db: Database) {
  return {
    async state(): Promise<SuppressionState> {
      const { rows } = await sql<StateRow>`
        select suppression.segment_id as "plainId", digest_segment_id as "digestsId",
          plain.version as "plainVersion", digests.version as "digestsVersion",
          applied_version as "appliedVersion", resolved_version as "resolvedVersion",
          ${devicesOf('plain.segment_id')} as "plainDevices",
          ${devicesOf('digests.segment_id')} as "digestsDevices",
          matched_segment_id as "matchedSegmentId",
          (select segment_id from universe) as "universeSegmentId",
          only_marketplace as "onlyMarketplace"
        from ${bothSegments}
      `.execute(db);
      const row = rows[0]!;
      return {
        plain: { segmentId: row.plainId, version: row.plainVersion, devices: row.plainDevices },
        digests: {
          segmentId: row.digestsId,
          version: row.digestsVersion,
          devices: row.digestsDevices,
        },
        appliedVersion: row.appliedVersion,
        resolvedVersion: row.resolvedVersion,
        matchedSegmentId: row.matchedSegmentId,
        universeSegmentId: row.universeSegmentId,
        onlyMarketplace: row.onlyMarketplace,
      };
    },

    /**
     * Throws SuppressionChanged unless the sets still have these versions. Call it first in a
     * transaction. Until it ends, nothing is added to the sets, except by this transaction if it
     * `adds`.
     */
    async hold(seen: Partial<SuppressionVersions>, { adds = false } = {}): Promise<void> {
      await (adds
        ? sql`select pg_advisory_xact_lock(${lock})`
        : sql`select pg_advisory_xact_lock_shared(${lock})`
      ).execute(db);
      // A new statement, which sees a change committed before we got the lock.
      const { rows } = await sql<SuppressionVersions>`
        select plain.version as plain, digests.version as digests from ${bothSegments}
      `.execute(db);
      const now = rows[0]!;
      const { plain = now.plain, digests = now.digests } = seen;
      if (now.plain !== plain || now.digests !== digests) throw new SuppressionChanged(now);
    },

    /**
     * Call it in a transaction that added only digests of devices that it also added to the list. No
     * other stored device matches them, so what was checked before need not be checked again.
     */
    async countAsResolved(seen: SuppressionVersions): Promise<void> {
      await sql`
        update suppression set resolved_version = segment.version
        from segment
        where segment.segment_id = digest_segment_id and resolved_version = ${seen.digests}
      `.execute(db);
    },

    /**
     * Sets whether audiences may hold suppressed devices. If they may no longer, everything stored is
     * checked again, and loads that were staged before start over.
     */
    async setScope(onlyMarketplace: boolean): Promise<void> {
      await atomically(db, async (tx) => {
        await sql`select pg_advisory_xact_lock(${lock})`.execute(tx);
        const { rows } = await sql<{ digestsId: number }>`
          update suppression set only_marketplace = ${onlyMarketplace},
            resolved_version = case when ${onlyMarketplace} then resolved_version else 0 end
          where only_marketplace <> ${onlyMarketplace}
          returning digest_segment_id as "digestsId"
        `.execute(tx);
        if (!rows[0] || onlyMarketplace) return;
        await sql`
          update segment set version = version + 1 where segment_id = ${rows[0].digestsId}
        `.execute(tx);
      });
    },

    /** Everything stored was checked against this version of the digests. */
    async setResolved(version: number): Promise<void> {
      await sql`
        update suppression set resolved_version = greatest(resolved_version, ${version})
      `.execute(db);
    },

    /**
     * This version of the devices was taken out of all other segments. They leave the list, because
     * their digests are enough from now on, and an identifier must not be kept.
     */
    async setApplied(version: number): Promise<void> {
      await sql`select pg_advisory_xact_lock(${lock})`.execute(db);
      const { rows } = await sql<RunRow & { is_applied: boolean }>`
        select run.*, last_version <= ${version} as is_applied
        from run join suppression using (segment_id)
      `.execute(db);
      const drop = rows.filter(({ is_applied }) => is_applied).map(toRun);
      await createManifest(db).apply({ add: [], drop });
      const isAll = drop.length === rows.length;
      await sql`
        update suppression
        set applied_version = case when ${isAll} then segment.version else ${version} end
        from segment where segment.segment_id = suppression.segment_id
      `.execute(db);
    },

    /**
     * Runs in which every stored device is: those of the universe and of audiences, and those of
     * attributes that are not in the universe yet. Also returns how many of them are damaged.
     */
    async storedRuns(): Promise<{ runs: Run[]; damaged: number }> {
      const { rows } = await sql<RunRow & { is_damaged: boolean }>`
        select run.*, damaged_run.run_id is not null as is_damaged
        from run join segment using (segment_id) left join damaged_run using (run_id)
        where kind = 'universe' or ${isInScope} and kind in ('audience', 'label')
          or kind = 'attribute' and (
          damaged_run.run_id is not null or exists (
            select from universe_change where universe_change.run_id = run.run_id and not is_drop
          )
        )
        order by run_id
      `.execute(db);
      const runs = rows.filter(({ is_damaged }) => !is_damaged).map(toRun);
      return { runs, damaged: rows.length - runs.length };
    },

    /** The runs that may hold suppressed devices. A device leaves the universe after the attributes. */
    async runsToClean(part: 'universe' | 'others'): Promise<{ runs: Run[]; damaged: number }> {
      const kinds = part === 'universe' ? ['universe'] : ['attribute', 'audience', 'label'];
      const { rows } = await sql<RunRow & { is_damaged: boolean }>`
        select run.*, damaged_run.run_id is not null as is_damaged
        from run join segment using (segment_id) left join damaged_run using (run_id)
        where kind = any(${kinds}) and (kind not in ('audience', 'label') or ${isInScope})
        order by run_id
      `.execute(db);
      const runs = rows.filter(({ is_damaged }) => !is_damaged).map(toRun);
      return { runs, damaged: rows.length - runs.length };
    },

    /**
     * Replaces runs by others without the suppressed devices, of which each segment had that many.
     * Reports of the audiences are counted again.
     */
    async commitRemoval(
      change: ManifestChange,
      removed: ReadonlyMap<number, number>,
    ): Promise<void> {
      await refuseNewerSchema(db);
      const segmentIds = [...removed.keys()];
      const concerned = sql`audience_id in (
        select audience_id from audience where segment_id = any(${segmentIds}::bigint[])
        union
        select audience_id from audience_label where segment_id = any(${segmentIds}::bigint[])
      )`;
      // Audiences first, as a load locks them, and in one order.
      await sql`
        select from audience where ${concerned} order by audience_id for no key update
      `.execute(db);
      await sql`
        update audience set report_version = -1 where ${concerned} and report_version is not null
      `.execute(db);
      await createManifest(db).shorten(change);
      await sql`
        insert into suppression_removal (segment_id, partner_id, devices)
        select segment_id, partner_id, devices
        from unnest(${segmentIds}::bigint[], ${[...removed.values()]}::bigint[])
          as removed (segment_id, devices)
        join (
          select segment_id, partner_id from attribute
          union all select segment_id, partner_id from audience
        ) as owned using (segment_id)
        on conflict (segment_id) do update
        set devices = suppression_removal.devices + excluded.devices
      `.execute(db);
    },

    /**
     * A fold that has begun starts over, and reports are counted again. Call it when the attributes,
     * and again when the universe, are without suppressed devices.
     */
    async renewUniverse(): Promise<void> {
      await sql`update universe set version = version + 1`.execute(db);
    },

    /** Returns what the pass removed, by partner, and forgets it. Leaves removed partners out. */
    async takeRemovals(): Promise<PartnerRemoval[]> {
      const { rows } = await sql<PartnerRemoval>`
        with taken as (delete from suppression_removal returning partner_id, devices)
        select partner_id as "partnerId", sum(devices)::bigint as memberships,
          max(devices) as devices
        from taken join partner using (partner_id) where removed_at is null
        group by partner_id order by partner_id
      `.execute(db);
      return rows;
    },
  };
}

interface StateRow {
  readonly plainId: number;
  readonly digestsId: number;
  readonly plainVersion: number;
  readonly digestsVersion: number;
  readonly plainDevices: number;
  readonly digestsDevices: number;
  readonly appliedVersion: number;
  readonly resolvedVersion: number;
  readonly matchedSegmentId: number;
  readonly universeSegmentId: number;
  readonly onlyMarketplace: boolean;
}

const lock = sql`hashtextextended(current_schema || ' suppression', 0)`;

/** Whether audiences and labels must not hold suppressed devices. */
const isInScope = sql`not (select only_marketplace from suppression)`;

const bothSegments = sql`
  suppression
  join segment as plain on plain.segment_id = suppression.segment_id
  join segment as digests on digests.segment_id = digest_segment_id
`;

function devicesOf(segmentId: string) {
  return sql`(
    select coalesce(sum(run.devices), 0)::bigint from run where run.segment_id = ${sql.ref(segmentId)}
  )`;
}
