import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';

/** A partner that has attributes. */
export interface Supplier {
  readonly partnerId: number;
  readonly name: string;
}

/** An audience that is compared among the devices known to a supplier. */
export interface SupplierPair {
  readonly audienceId: number;
  readonly partnerId: number;
}

export interface SupplierCounts {
  /** Devices that have an attribute of the supplier. */
  readonly supplierDevices: number;
  /** Devices of the audience among them. */
  readonly audienceDevices: number;
  /** Identifies the supplier's attributes and their versions. */
  readonly attributesDigest: string;
}

/** What a count of a supplier's devices is based on, read at one moment. */
export interface SupplierBasis {
  readonly segmentId: number;
  readonly segmentVersion: number;
  readonly universeVersion: number;
  /** The supplier's attributes that have had devices. */
  readonly supplierSegments: readonly number[];
  readonly attributesDigest: string;
  /** Whether the stored count has the same basis, up to changes of other suppliers. */
  readonly isCounted: boolean;
}

/** Suppliers whose counts are kept for one audience. Beyond that, the oldest request is dropped. */
const mostPerAudience = 20;

export type Baselines = ReturnType<typeof createBaselines>;

/** What audiences can be compared with, besides the universe. */
export function createBaselines(db: Database) {
  return {
    async suppliers(): Promise<Supplier[]> {
      const { rows } = await sql<Supplier>`
        select partner_id as "partnerId", name from partner
        where exists (select from attribute where attribute.partner_id = partner.partner_id)
        order by name, partner_id
      `.execute(db);
      return rows;
    },

    async areOfSameCustomer(one: number, other: number): Promise<boolean> {
      const { rows } = await sql<{ isSame: boolean }>`
        select one.customer_id is not distinct from other.customer_id as "isSame"
        from audience as one, audience as other
        where one.audience_id = ${one} and other.audience_id = ${other}
      `.execute(db);
      return rows[0]?.isSame ?? false;
    },

    /**
     * Undefined if they are not counted yet, or not at the contents of the audience that its composition
     * shows: with protection, other contents must not be seen.
     */
    async find(pair: SupplierPair): Promise<(SupplierCounts & { stale: boolean }) | undefined> {
      const { rows } = await sql<SupplierCounts & { stale: boolean }>`
        select supplier_devices as "supplierDevices",
          supplier_baseline.audience_devices as "audienceDevices",
          attributes_digest as "attributesDigest", ${isOutdated} as stale
        from ${withVersions}
        join composition on composition.audience_id = supplier_baseline.audience_id
          and composition.segment_version = supplier_baseline.segment_version
        where ${isPair(pair)} and supplier_devices is not null
      `.execute(db);
      return rows[0];
    },

    /** Has the pair counted, or keeps its count up to date for another day. */
    async want(pair: SupplierPair): Promise<void> {
      const { rows } = await sql<{ isNew: boolean }>`
        insert into supplier_baseline (audience_id, partner_id)
        values (${pair.audienceId}, ${pair.partnerId})
        on conflict (audience_id, partner_id) do update set wanted_at = now()
          where supplier_baseline.wanted_at < now() - interval '1 hour'
        returning supplier_devices is null as "isNew"
      `.execute(db);
      if (!rows[0]?.isNew) return;
      await sql`
        delete from supplier_baseline where audience_id = ${pair.audienceId} and partner_id not in (
          select partner_id from supplier_baseline where audience_id = ${pair.audienceId}
          order by wanted_at desc, partner_id = ${pair.partnerId} desc limit ${mostPerAudience}
        )
      `.execute(db);
    },

    /** Pairs that are wanted and not counted at the current versions, the longest waiting first. */
    async outdated(limit: number): Promise<SupplierPair[]> {
      const { rows } = await sql<SupplierPair>`
        select supplier_baseline.audience_id as "audienceId",
          supplier_baseline.partner_id as "partnerId"
        from ${withVersions} where ${isOutdated} and wanted_at > now() - interval '1 day'
        order by supplier_devices is not null, wanted_at limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Undefined if the pair is no longer wanted. */
    async basis(pair: SupplierPair): Promise<SupplierBasis | undefined> {
      const { rows } = await sql<SupplierBasis>`
        select segment.segment_id as "segmentId", segment.version as "segmentVersion",
          universe.version as "universeVersion", segments as "supplierSegments",
          digest as "attributesDigest",
          coalesce(digest = attributes_digest and segment.version = supplier_baseline.segment_version, false)
            as "isCounted"
        from ${withVersions} cross join lateral (
          select coalesce(json_agg(segment_id order by segment_id), '[]') as segments,
            encode(sha256(convert_to(
              coalesce(string_agg(segment_id || ' ' || version, ',' order by segment_id), ''), 'UTF8'
            )), 'hex') as digest
          from attribute join segment as supplied using (segment_id)
          where attribute.partner_id = ${pair.partnerId} and version > 0
        ) as supplier
        where ${isPair(pair)}
      `.execute(db);
      return rows[0];
    },

    async save(
      pair: SupplierPair,
      basis: SupplierBasis,
      counts: Omit<SupplierCounts, 'attributesDigest'>,
    ): Promise<void> {
      await sql`
        update supplier_baseline
        set supplier_devices = ${counts.supplierDevices},
          audience_devices = ${counts.audienceDevices},
          attributes_digest = ${basis.attributesDigest},
          segment_version = ${basis.segmentVersion}, universe_version = ${basis.universeVersion}
        where ${isPair(pair)}
      `.execute(db);
    },

    /** Notes that the stored count is still right at this version of the universe. */
    async confirm(pair: SupplierPair, { universeVersion }: SupplierBasis): Promise<void> {
      await sql`
        update supplier_baseline set universe_version = ${universeVersion} where ${isPair(pair)}
      `.execute(db);
    },

    /** Deletes counts that nobody has asked for in a day. */
    async prune(): Promise<number> {
      return deleteInBatches(db, 'supplier_baseline', sql`wanted_at < now() - interval '1 day'`);
    },
  };
}

const withVersions = sql`
  supplier_baseline join audience using (audience_id) join segment using (segment_id)
  cross join universe
`;

const isOutdated = sql<boolean>`(
  supplier_baseline.universe_version is distinct from universe.version
  or supplier_baseline.segment_version is distinct from segment.version
)`;

function isPair({ audienceId, partnerId }: SupplierPair) {
  return sql`supplier_baseline.audience_id = ${audienceId}
    and supplier_baseline.partner_id = ${partnerId}`;
}
