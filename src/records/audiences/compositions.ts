import { createHash } from 'node:crypto';
import { type InsertObject, sql } from 'kysely';
import type { DisclosureMode, Released } from '../../domain/disclosure/disclosure.ts';
import type { AudienceReason, CausedVersions } from '../../domain/history/reasons.ts';
import type { Page } from '../../domain/page.ts';
import { type Database, inOneSnapshot } from '../database/connection.ts';
import { type ExclusiveWork, lockTaken, tryExclusively } from '../database/exclusive-lock.ts';
import { readAsJson } from '../database/json-rows.ts';
import type { Schema } from '../database/schema.ts';
import { unfinishedLoads } from '../queue/unfinished-loads.ts';
import { released } from './audience-sql.ts';
import { readReasons } from './change-reasons.ts';

/** A segment and its devices at one version. */
interface CountedSegment {
  readonly segmentId: number;
  /** The version of the segment's contents that was counted. */
  readonly version: number;
  readonly devices: number;
}

/** The segment of an attribute; null if the attribute is being deleted. */
interface OwnedSegment extends CountedSegment {
  readonly partnerId: number | null;
}

/** Changes whenever the partner changes the audience. */
interface AudienceState {
  readonly generation: number;
  readonly uploadedDevices: number;
}

/** The sizes that are shown under protection. */
export interface ReleasedCounts {
  readonly universeVersion: number;
  readonly matchedDevices: number;
  readonly universeDevices: number;
}

/** Everything that a composition is computed from, read in one snapshot. */
export interface CompositionBasis extends AudienceState {
  readonly audienceId: number;
  readonly partnerId: number;
  /** Grows with every removal of erased devices. */
  readonly erasures: number;
  /** Null if the partner has no mode of its own. */
  readonly disclosure: DisclosureMode | null;
  readonly audience: CountedSegment;
  /** Its version counts folds; `segmentVersion` is the one of its segment. */
  readonly universe: CountedSegment & { readonly segmentVersion: number };
  /** Changed runs of attributes that are not folded into the universe yet. */
  readonly backlog: number;
  /** The attributes that have devices. */
  readonly attributes: readonly OwnedSegment[];
  /** Identifies the attributes of other partners and their versions. Empty if none has devices. */
  readonly foreignState: string;
  readonly labels: readonly Omit<CountedSegment, 'version'>[];
  /** The audience's devices in the universe, at that version of the universe. */
  readonly matched: { readonly devices: number; readonly universeVersion: number };
  /** Why the audience differs from its last composition, as far as it does. */
  readonly reasons: readonly AudienceReason[];
  /** The versions and counts of the last composition. */
  readonly last: {
    readonly segmentVersion: number;
    readonly universeVersion: number;
    readonly counted: CompositionCounts;
    /** Null if it was counted by an earlier version of the service. */
    readonly fingerprint: string | null;
    readonly state: AudienceState | null;
  } | null;
}

/** How many devices of the audience are in a segment, at that version of the segment. */
export interface SegmentOverlap {
  readonly version: number;
  readonly devices: number;
}

/** By segment: the attributes, and the universe. A segment without devices can be left out. */
export type CompositionCounts = ReadonlyMap<number, SegmentOverlap>;

/** A composition as it is stored. */
export interface SavedComposition {
  readonly basis: CompositionBasis;
  readonly counts: CompositionCounts;
  readonly released: Released & { readonly universeDevices: number };
}

/** How many devices an attribute has, in all and in the audience. */
export interface AttributeDevices {
  /** The version of the attribute that was counted. */
  readonly version: number;
  readonly audienceDevices: number;
  readonly baselineDevices: number;
}

/** An attribute of the marketplace, as a report lists it. */
export interface ListedAttribute {
  readonly attributeId: number;
  readonly segmentId: number;
  readonly partnerId: number;
  readonly name: string;
}

/**
 * Parallel arrays, ordered by segment. As JSON, 10,000 attributes are read in 2 ms; as rows, or as arrays by
 * the driver, in over 20 ms without a pause.
 */
export interface CountedAttributes {
  readonly segmentIds: readonly number[];
  readonly partnerIds: readonly number[];
  readonly versions: readonly number[];
  readonly baselineDevices: readonly number[];
  readonly audienceDevices: readonly number[];
}

export interface Composition {
  /** The partner that loads the audience. */
  readonly partnerId: number;
  readonly computedAt: Date;
  readonly universeVersion: number;
  /** Whether anything that it was computed from has changed since. */
  readonly stale: boolean;
  /** The partner's own mode; null if it has none. */
  readonly disclosure: DisclosureMode | null;
  /** When a report that waits for the next day will be computed; null if it does not wait. */
  readonly heldUntil: Date | null;
  readonly universeDevices: number;
  readonly uniqueDevices: number;
  readonly matchedDevices: number;
  /** What to show if reports are protected; null if an earlier version of the service computed it. */
  readonly released: (Released & { readonly universeDevices: number }) | null;
  /** The devices of each attribute that had any. */
  readonly counted: CountedAttributes;
  readonly events: readonly { readonly label: string; readonly devices: number }[];
}

export interface ReportBacklog {
  readonly audiences: number;
  /** Null if no report was ever refreshed. */
  readonly seconds: number | null;
}

export type Compositions = ReturnType<typeof createCompositions>;

export function createCompositions(db: Database) {
  return {
    /** The bases of the audiences that exist, by id. */
    async bases(audienceIds: readonly number[]): Promise<Map<number, CompositionBasis>> {
      const ids = [...audienceIds];
      return inOneSnapshot(db, async (tx) => {
        const { rows } = await sql<BasisRow>`
          select audience_id as "audienceId", audience.partner_id as "partnerId", disclosure,
            (select applied_version from suppression) as erasures,
            audience.generation, audience.uploaded_devices as "uploadedDevices", segment.segment_id as "segmentId", segment.version as "segmentVersion", changed_by as causes,
            ${devicesOf('segment.segment_id')} as "uniqueDevices",
            universe.segment_id as "universeSegmentId", universe.version as "universeVersion",
            (select version from segment where segment.segment_id = universe.segment_id)
              as "universeSegmentVersion",
            ${devicesOf('universe.segment_id')} as "universeDevices",
            (select count(*) from pending_change) as backlog,
            audience.matched_devices as "matchedDevices", matched_version as "matchedVersion",
            composition.segment_version as "lastSegmentVersion",
            composition.universe_version as "lastUniverseVersion",
            universe_segment_version as "lastUniverseSegmentVersion",
            composition.matched_devices as "lastMatchedDevices",
            to_json(attribute_segments) as "lastSegments",
            to_json(attribute_versions) as "lastVersions",
            to_json(audience_devices) as "lastDevices", fingerprint as "lastFingerprint",
            composition.generation as "lastGeneration",
            composition.uploaded_devices as "lastUploadedDevices"
          from audience join segment using (segment_id) cross join universe
          join partner using (partner_id)
          left join composition using (audience_id)
          where audience_id = any(${ids}::bigint[])
        `.execute(tx);
        const { rows: attributes } = await sql<OwnedSegment>`
          select * from (
            select segment_id as "segmentId", version, partner_id as "partnerId",
              ${devicesOf('segment.segment_id')} as devices
            from segment left join attribute using (segment_id)
            where kind = 'attribute' and version > 0
          ) as loaded
          where devices > 0
          order by "segmentId"
        `.execute(tx);
        const { rows: labels } = await sql<{
          audienceId: number;
          segmentId: number;
          devices: number;
        }>`
          select audience_id as "audienceId", segment_id as "segmentId",
            ${devicesOf('audience_label.segment_id')} as devices
          from audience_label where audience_id = any(${ids}::bigint[])
          order by segment_id
        `.execute(tx);
        const labelsOf = Map.groupBy(labels, (label) => label.audienceId);
        const partners = new Set(rows.map(({ partnerId }) => partnerId));
        const foreignStates = new Map(
          [...partners].map((partnerId) => [partnerId, foreignState(attributes, partnerId)]),
        );
        const bases = rows.map((row) => ({
          ...basisOf(row),
          attributes,
          foreignState: stateOf(row, foreignStates.get(row.partnerId)!),
          labels: labelsOf.get(row.audienceId) ?? [],
          last: lastOf(row),
        }));
        const reasonsFor = await readReasons(tx, bases);
        return new Map(
          bases.map((basis, i) => [
            basis.audienceId,
            { ...basis, reasons: reasonsFor(basis, rows[i]!.causes) },
          ]),
        );
      });
    },

    /**
     * Stores compositions in place of the audiences' last ones. A column of many attributes that has
     * not changed is not written again.
     */
    async replace(compositions: readonly SavedComposition[]): Promise<void> {
      await db
        .insertInto('composition')
        .values(compositions.map(rowOf))
        .onConflict((conflict) =>
          conflict.column('audience_id').doUpdateSet({
            computed_at: sql`clock_timestamp()`,
            ...excluded('universe_version', 'segment_version', 'universe_devices'),
            ...excluded('unique_devices', 'matched_devices', 'universe_segment_version'),
            ...excluded('fingerprint', 'generation', 'uploaded_devices', 'is_own'),
            ...excluded('own_matched', 'erasures'),
            ...excluded('released_version', 'released_matched', 'released_universe'),
            ...keepUnchanged('attribute_segments', 'attribute_versions', 'baseline_devices'),
            ...keepUnchanged('audience_devices', 'label_segments', 'label_devices'),
          }),
        )
        .execute();
    },

    async remove(audienceId: number): Promise<void> {
      await db.deleteFrom('composition').where('audience_id', '=', audienceId).execute();
    },

    async find(audienceId: number): Promise<Composition | undefined> {
      return inOneSnapshot(db, async (tx) => {
        const { rows } = await sql<Omit<Composition, 'counted' | 'events'>>`
          select partner_id as "partnerId", computed_at as "computedAt",
            universe_version as "universeVersion", ${isOutdated} as stale, universe_devices as "universeDevices",
            unique_devices as "uniqueDevices", composition.matched_devices as "matchedDevices",
            disclosure, report_held_until as "heldUntil",
            case when fingerprint is not null
              then ${released(sql`, 'universeDevices', released_universe`)} end as released
          from ${sources} join partner using (partner_id)
          where audience_id = ${audienceId} and composition.audience_id is not null
        `.execute(tx);
        if (!rows[0]) return undefined;
        // Attributes that were deleted since are left out.
        const { rows: counts } = await sql<CountedAttributes>`
          select coalesce(json_agg(segment_id), '[]') as "segmentIds",
            coalesce(json_agg(version), '[]') as versions,
            coalesce(json_agg(partner_id), '[]') as "partnerIds",
            coalesce(json_agg(baseline), '[]') as "baselineDevices",
            coalesce(json_agg(overlap), '[]') as "audienceDevices"
          from (
            select segment_id, version, partner_id, baseline, overlap from composition
            cross join unnest(attribute_segments, attribute_versions, baseline_devices, audience_devices)
              as counted (segment_id, version, baseline, overlap)
            join attribute using (segment_id)
            where audience_id = ${audienceId}
            order by segment_id
          ) as existing
        `.execute(tx);
        const { rows: events } = await sql<{ label: Buffer; devices: number }>`
          select label, counted.devices from composition
          cross join unnest(label_segments, label_devices) as counted (segment_id, devices)
          join audience_label using (segment_id)
          where composition.audience_id = ${audienceId}
          order by segment_id
        `.execute(tx);
        return {
          ...rows[0],
          counted: counts[0]!,
          events: events.map(({ label, devices }) => ({ label: label.toString(), devices })),
        };
      });
    },

    /** A page of all current attributes, or of one supplier's, by id. */
    async attributes(
      { after, limit }: Page,
      supplierId: number | null = null,
    ): Promise<ListedAttribute[]> {
      const page = db
        .selectFrom('attribute')
        .select(['attribute_id', 'segment_id', 'partner_id', 'name'])
        .where('attribute_id', '>', after ?? 0)
        .$if(supplierId !== null, (some) => some.where('partner_id', '=', supplierId))
        .orderBy('attribute_id')
        .limit(limit);
      const rows = await readAsJson(db, page);
      return rows.map(({ attribute_id, segment_id, partner_id, name }) => ({
        attributeId: attribute_id,
        segmentId: segment_id,
        partnerId: partner_id,
        name,
      }));
    },

    /**
     * Audiences whose composition or matched devices are out of date, the oldest first. Leaves
     * out audiences whose load is running or whose first load has not begun, because a load ends with
     * a new composition. If there are none, it reads only the end of an index.
     */
    async outdated(limit: number): Promise<number[]> {
      const { rows } = await sql<{ audienceId: number }>`
        select audience_id as "audienceId" from audience
        where report_version < (select version from universe)
          and (report_held_until is null or report_held_until <= now()) and not exists (
          select from (select job.state from ${unfinishedLoads} limit 1) as load
          where state = 'running'
        )
        order by report_version, audience_id
        limit ${limit}
      `.execute(db);
      return rows.map(({ audienceId }) => audienceId);
    },

    /** How many are outdated, and how long they will take if the last pass is a guide. */
    async backlog(): Promise<ReportBacklog> {
      const { version } = await db
        .selectFrom('universe')
        .select('version')
        .executeTakeFirstOrThrow();
      // As a constant, from which PostgreSQL sees that few audiences are older.
      const { rows } = await sql<{ audiences: number }>`
        select count(*) as audiences from audience
        where report_version < ${version}
          and (report_held_until is null or report_held_until <= now())
      `.execute(db);
      const { audiences } = rows[0]!;
      const pass = await db.selectFrom('refresh_pass').selectAll().executeTakeFirst();
      return { audiences, seconds: pass ? (audiences * pass.seconds) / pass.reports : null };
    },

    /** Notes how long a pass took that refreshed at least one report. */
    async savePass(reports: number, seconds: number): Promise<void> {
      await db
        .insertInto('refresh_pass')
        .values({ reports, seconds })
        .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ reports, seconds }))
        .execute();
    },

    /** Runs `refresh` and returns true, or returns false if another process is refreshing. */
    async refreshExclusively(refresh: ExclusiveWork<void>, signal: AbortSignal): Promise<boolean> {
      return (await tryExclusively(db, 'compositions', refresh, signal)) !== lockTaken;
    },
  };
}

/** The devices of an attribute in a composition: 0 if it had none, or is newer. */
export function devicesIn(counted: CountedAttributes, segmentId: number): AttributeDevices {
  const { segmentIds, versions, audienceDevices, baselineDevices } = counted;
  let [at, end] = [0, segmentIds.length];
  while (at < end) {
    const middle = (at + end) >>> 1;
    if (segmentIds[middle]! < segmentId) at = middle + 1;
    else end = middle;
  }
  return segmentIds[at] === segmentId
    ? {
        version: versions[at]!,
        audienceDevices: audienceDevices[at]!,
        baselineDevices: baselineDevices[at]!,
      }
    : noDevices;
}

const noDevices: AttributeDevices = { version: 0, audienceDevices: 0, baselineDevices: 0 };

function rowOf({ basis, counts, released }: SavedComposition): InsertObject<Schema, 'composition'> {
  const { attributes, universe, labels } = basis;
  const matched = counts.get(universe.segmentId);
  return {
    audience_id: basis.audienceId,
    universe_version: universe.version,
    segment_version: basis.audience.version,
    universe_devices: universe.devices,
    unique_devices: basis.audience.devices,
    matched_devices: matched?.devices ?? 0,
    universe_segment_version: matched?.version ?? universe.segmentVersion,
    attribute_segments: bigints(attributes.map(({ segmentId }) => segmentId)),
    attribute_versions: bigints(
      attributes.map(({ segmentId, version }) => counts.get(segmentId)?.version ?? version),
    ),
    baseline_devices: bigints(attributes.map(({ devices }) => devices)),
    audience_devices: bigints(
      attributes.map(({ segmentId }) => counts.get(segmentId)?.devices ?? 0),
    ),
    label_segments: bigints(labels.map(({ segmentId }) => segmentId)),
    label_devices: bigints(labels.map(({ devices }) => devices)),
    fingerprint: released.fingerprint,
    generation: basis.generation,
    uploaded_devices: basis.uploadedDevices,
    released_version: released.universeVersion,
    released_matched: released.matchedDevices,
    released_universe: released.universeDevices,
    is_own: released.isOwn,
    own_matched: released.ownMatched,
    erasures: released.erasures,
  };
}

/** As text, because the driver takes longer to convert an array of numbers. */
function bigints(numbers: readonly number[]) {
  return sql<number[]>`${`{${numbers.join()}}`}::bigint[]`;
}

type CompositionColumn = keyof Schema['composition'];

/** Sets the columns to their new values. */
function excluded(...columns: CompositionColumn[]) {
  return Object.fromEntries(columns.map((column) => [column, sql.ref(`excluded.${column}`)]));
}

/** The same, but if a value has not changed, the stored one stays, and PostgreSQL writes no copy. */
function keepUnchanged(...columns: CompositionColumn[]) {
  return Object.fromEntries(
    columns.map((column) => {
      const [stored, given] = [sql.ref(`composition.${column}`), sql.ref(`excluded.${column}`)];
      return [column, sql`case when ${stored} = ${given} then ${stored} else ${given} end`];
    }),
  );
}

/** Changes that are not folded yet are missing in the universe, so its version belongs to the state. */
function stateOf({ backlog, universeVersion }: BasisRow, state: string): string {
  return state === '' || backlog === 0 ? state : `${state} ${universeVersion}`;
}

/** The attributes have the order of their segments. */
function foreignState(attributes: readonly OwnedSegment[], partnerId: number): string {
  const foreign = attributes.filter((attribute) => attribute.partnerId !== partnerId);
  if (foreign.length === 0) return '';
  const versions = foreign.map(({ segmentId, version }) => `${segmentId} ${version}`).join();
  return createHash('sha256').update(versions).digest('hex');
}

interface BasisRow extends AudienceState {
  readonly erasures: number;
  readonly audienceId: number;
  readonly partnerId: number;
  readonly disclosure: DisclosureMode | null;
  readonly segmentId: number;
  readonly segmentVersion: number;
  readonly causes: CausedVersions;
  readonly uniqueDevices: number;
  readonly universeSegmentId: number;
  readonly universeVersion: number;
  readonly universeSegmentVersion: number;
  readonly universeDevices: number;
  readonly backlog: number;
  readonly matchedDevices: number;
  readonly matchedVersion: number;
  readonly lastSegmentVersion: number | null;
  readonly lastUniverseVersion: number | null;
  readonly lastUniverseSegmentVersion: number | null;
  readonly lastMatchedDevices: number | null;
  readonly lastSegments: readonly number[] | null;
  readonly lastVersions: readonly number[] | null;
  readonly lastDevices: readonly number[] | null;
  readonly lastFingerprint: string | null;
  readonly lastGeneration: number | null;
  readonly lastUploadedDevices: number | null;
}

function basisOf(row: BasisRow) {
  return {
    audienceId: row.audienceId,
    partnerId: row.partnerId,
    disclosure: row.disclosure,
    erasures: row.erasures,
    generation: row.generation,
    uploadedDevices: row.uploadedDevices,
    audience: {
      segmentId: row.segmentId,
      version: row.segmentVersion,
      devices: row.uniqueDevices,
    },
    universe: {
      segmentId: row.universeSegmentId,
      version: row.universeVersion,
      segmentVersion: row.universeSegmentVersion,
      devices: row.universeDevices,
    },
    backlog: row.backlog,
    matched: { devices: row.matchedDevices, universeVersion: row.matchedVersion },
  };
}

function lastOf(row: BasisRow): CompositionBasis['last'] {
  const { lastSegmentVersion, lastUniverseVersion, lastSegments, lastVersions, lastDevices } = row;
  if (lastSegmentVersion === null || lastUniverseVersion === null) return null;
  const counted = new Map(
    lastSegments!.map((segmentId, i) => [
      segmentId,
      { version: lastVersions![i]!, devices: lastDevices![i]! },
    ]),
  );
  const version = row.lastUniverseSegmentVersion;
  if (version !== null) {
    counted.set(row.universeSegmentId, { version, devices: row.lastMatchedDevices! });
  }
  const { lastFingerprint, lastGeneration, lastUploadedDevices } = row;
  return {
    segmentVersion: lastSegmentVersion,
    universeVersion: lastUniverseVersion,
    counted,
    fingerprint: lastFingerprint,
    state:
      lastGeneration === null || lastUploadedDevices === null
        ? null
        : { generation: lastGeneration, uploadedDevices: lastUploadedDevices },
  };
}

function devicesOf(segmentId: string) {
  return sql<number>`(
    select coalesce(sum(run.devices), 0)::bigint from run where run.segment_id = ${sql.ref(segmentId)}
  )`;
}

const sources = sql`
  audience join segment using (segment_id) cross join universe
  left join composition using (audience_id)
`;

const isOutdated = sql<boolean>`(
  composition.universe_version is distinct from universe.version
  or composition.segment_version is distinct from segment.version
  or exists (select from pending_change)
)`;
