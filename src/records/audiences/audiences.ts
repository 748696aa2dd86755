import { type RawBuilder, sql } from 'kysely';
import type { DisclosureMode, Released } from '../../domain/disclosure/disclosure.ts';
import { displayName } from '../../domain/display-name.ts';
import type { LoadState } from '../../domain/job.ts';
import type { Page } from '../../domain/page.ts';
import type { Database } from '../database/connection.ts';
import { limitReached } from '../database/record-limits.ts';
import { type AudienceScope, inScope, type LoaderScope } from './audience-scope.ts';
import { audienceColumns, audiencesOf, fileState } from './audience-sql.ts';

export interface Audience {
  readonly audienceId: number;
  readonly segmentId: number;
  readonly name: string;
  readonly state: LoadState;
  readonly uploadedDevices: number;
  readonly uniqueDevices: number;
  /** Not to be shown if the partner's reports are protected. */
  readonly matchedDevices: number;
  /** The partner's own mode; null if it has none. */
  readonly disclosure: DisclosureMode | null;
  /** When a report that waits for the next day will be computed; null if it does not wait. */
  readonly heldUntil: Date | null;
  /** What the last report released; null if there is none. */
  readonly released: Released | null;
  /** When it was cleared; null if it never was, or if a load was queued since. */
  readonly clearedAt: Date | null;
  /** The job of the latest load since the last clear; null if there is none, or it is no longer kept. */
  readonly latestLoadId: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface AudienceFile {
  /** Grows in the order of the files. */
  readonly entryId: number;
  readonly s3Path: string;
  readonly state: LoadState;
  readonly rowsUploaded: number;
  readonly updatedAt: Date;
}

export interface AudienceDetails extends Audience {
  /** The first ones, in the order of their first load since the last clear. */
  readonly files: readonly AudienceFile[];
}

/** How many devices of an audience are in the universe, at that version of the universe. */
export interface MatchedDevices {
  readonly matchedDevices: number;
  readonly universeVersion: number;
}

/** The `report_version` of an audience that has changed since its composition was counted. */
const outdatedReport = -1;

const beingLoaded = sql`
  updated_at = clock_timestamp(), report_version = coalesce(report_version, ${outdatedReport})
`;

/** Files that `details` reads with the audience, and that are read at once after them. */
export const filesPerPage = 1_000;

export type Audiences = ReturnType<typeof createAudiences>;

export function createAudiences(db: Database) {
  return {
    async create(
      scope: LoaderScope,
      name: string,
      segmentId: number,
      most: number,
    ): Promise<{ audienceId: number; generation: number }> {
      await countAudience(db, scope.partnerId, most);
      return db
        .insertInto('audience')
        .values({
          partner_id: scope.partnerId,
          customer_id: scope.customerId,
          segment_id: segmentId,
          name: displayName(name),
          matched_version: sql`(select version from universe)`,
        })
        .returning(['audience_id as audienceId', 'generation'])
        .executeTakeFirstOrThrow();
    },

    /** Locks the audience until the transaction ends, so that only one transaction changes it. */
    async lock(
      scope: LoaderScope,
      audienceId: number,
    ): Promise<{ generation: number; segmentId: number } | undefined> {
      const { rows } = await sql<{ generation: number; segmentId: number }>`
        select generation, segment_id as "segmentId" from audience
        where ${inScope(scope)} and audience_id = ${audienceId}
        for no key update
      `.execute(db);
      return rows[0];
    },

    /** The same, and counts as a change of the audience. */
    async touch(
      scope: LoaderScope,
      audienceId: number,
    ): Promise<{ generation: number } | undefined> {
      const { rows } = await sql<{ generation: number }>`
        update audience set updated_at = clock_timestamp()
        where ${inScope(scope)} and audience_id = ${audienceId}
        returning generation
      `.execute(db);
      return rows[0];
    },

    /**
     * Call it when a load begins or ends, in a transaction that has the audience locked. From then
     * on its composition is refreshed, even if the load fails to compute it.
     */
    async touchLoaded(audienceId: number): Promise<void> {
      await sql`update audience set ${beingLoaded} where audience_id = ${audienceId}`.execute(db);
    },

    /**
     * The same for the job of a load that was lost, whose row is locked. Skips an audience that is
     * locked: waiting for it would be a deadlock with a clear, and the holder changes it anyway.
     */
    async touchLost(jobId: number): Promise<void> {
      await sql`
        update audience set ${beingLoaded}
        where audience_id in (
          select audience_id from audience
          where audience_id = (select audience_id from audience_load where job_id = ${jobId})
          for no key update skip locked
        )
      `.execute(db);
    },

    /** Locks the audiences of which neither the generation nor the segment has changed. Returns their ids. */
    async lockUnchanged(
      expected: readonly {
        readonly audienceId: number;
        readonly generation: number;
        readonly audience: { readonly segmentId: number; readonly version: number };
      }[],
    ): Promise<Set<number>> {
      const ids = expected.map(({ audienceId }) => audienceId);
      const generations = expected.map(({ generation }) => generation);
      const { rows: locked } = await sql<{ audienceId: number }>`
        select audience_id as "audienceId" from audience
        join unnest(${ids}::bigint[], ${generations}::bigint[]) as expected (id, generation)
          on audience_id = id and audience.generation = expected.generation
        order by audience_id
        for no key update of audience
      `.execute(db);
      const isLocked = new Set(locked.map(({ audienceId }) => audienceId));
      const segments = expected.map(({ audience }) => audience.segmentId);
      const versions = expected.map(({ audience }) => audience.version);
      // In a statement of its own. After waiting for a lock, PostgreSQL reads only the locked row
      // again: a join would compare it with the segment as it was before a load committed.
      const { rows: unchanged } = await sql<{ segmentId: number }>`
        select segment_id as "segmentId" from segment
        join unnest(${segments}::bigint[], ${versions}::bigint[]) as expected (id, version)
          on segment_id = id and segment.version = expected.version
      `.execute(db);
      const isUnchanged = new Set(unchanged.map(({ segmentId }) => segmentId));
      return new Set(
        expected
          .filter(
            (each) => isLocked.has(each.audienceId) && isUnchanged.has(each.audience.segmentId),
          )
          .map(({ audienceId }) => audienceId),
      );
    },

    /** Resets the counts. Loads of an earlier generation can no longer commit. */
    async startGeneration(audienceId: number, generation: number): Promise<void> {
      await db
        .updateTable('audience')
        .set({
          generation,
          uploaded_devices: 0,
          matched_devices: 0,
          matched_version: sql`(select version from universe)`,
          report_version: outdatedReport,
          cleared_at: sql`clock_timestamp()`,
          updated_at: sql`clock_timestamp()`,
        })
        .where('audience_id', '=', audienceId)
        .execute();
    },

    /** Adds the devices uploaded by a load's commit, and sets the matched devices after it. */
    async addUploaded(
      { audienceId, jobId }: { readonly audienceId: number; readonly jobId: number },
      uploadedDevices: number,
      { matchedDevices, universeVersion }: MatchedDevices,
    ): Promise<void> {
      await sql`
        with load as (
          update audience_load set loaded_rows = loaded_rows + ${uploadedDevices}
          where job_id = ${jobId}
        )
        update audience
        set uploaded_devices = uploaded_devices + ${uploadedDevices},
          matched_devices = ${matchedDevices}, matched_version = ${universeVersion},
          report_version = ${outdatedReport}, updated_at = clock_timestamp()
        where audience_id = ${audienceId}
      `.execute(db);
    },

    async matched(audienceId: number): Promise<MatchedDevices> {
      return db
        .selectFrom('audience')
        .select(['matched_devices as matchedDevices', 'matched_version as universeVersion'])
        .where('audience_id', '=', audienceId)
        .executeTakeFirstOrThrow();
    },

    /** Call it in the transaction that stores the compositions of the same version. */
    async setMatched(
      counted: readonly ({ readonly audienceId: number } & MatchedDevices)[],
    ): Promise<void> {
      const ids = counted.map(({ audienceId }) => audienceId);
      const devices = counted.map(({ matchedDevices }) => matchedDevices);
      const versions = counted.map(({ universeVersion }) => universeVersion);
      await sql`
        update audience
        set matched_devices = devices, matched_version = version, report_version = version,
          report_held_until = null
        from unnest(${ids}::bigint[], ${devices}::bigint[], ${versions}::bigint[])
          as counted (id, devices, version)
        where audience_id = id
      `.execute(db);
    },

    /** Leaves the reports as they are until the next day begins, in UTC. */
    async holdReports(audienceIds: readonly number[]): Promise<void> {
      await db
        .updateTable('audience')
        .set({ report_held_until: sql`date_trunc('day', now(), 'utc') + interval '1 day'` })
        .where('audience_id', 'in', audienceIds)
        .execute();
    },

    /** How many of the partner's audiences have a report that waits for the next day. */
    async heldReports(partnerId: number): Promise<number> {
      const { rows } = await sql<{ held: number }>`
        select count(*) as held from audience
        where partner_id = ${partnerId} and report_held_until > now()
      `.execute(db);
      return rows[0]!.held;
    },

    /** Ordered by id. */
    async list(scope: AudienceScope, { after, limit }: Page): Promise<Audience[]> {
      const page = sql`
        ${inScope(scope)} and audience_id > ${after ?? 0} order by audience_id limit ${limit}
      `;
      const { rows } = await sql<Audience>`
        select ${audienceColumns} from ${audiencesOf(page)} order by audience_id
      `.execute(db);
      return rows;
    },

    async find(scope: AudienceScope, audienceId: number): Promise<Audience | undefined> {
      const { rows } = await sql<Audience>`
        select ${audienceColumns}
        from ${audiencesOf(sql`${inScope(scope)} and audience_id = ${audienceId}`)}
      `.execute(db);
      return rows[0];
    },

    /** Those of any partner, by id. */
    async findAll(audienceIds: readonly number[]): Promise<Map<number, Audience>> {
      const { rows } = await sql<Audience>`
        select ${audienceColumns} from ${audiencesOf(sql`audience_id = any(${audienceIds}::bigint[])`)}
      `.execute(db);
      return new Map(rows.map((audience) => [audience.audienceId, audience]));
    },

    /** The audience with its first files, read in one statement so that they agree. */
    async details(
      scope: AudienceScope,
      audienceId: number,
      limit: number = filesPerPage,
    ): Promise<AudienceDetails | undefined> {
      const { rows } = await sql<Audience & { files: FileRow[] }>`
        select ${audienceColumns}, (
          select coalesce(json_agg(file order by "entryId"), '[]')
          from (${filesOf(sql`audience.audience_id`, 0, limit)}) as file
        ) as files
        from ${audiencesOf(sql`${inScope(scope)} and audience_id = ${audienceId}`)}
      `.execute(db);
      const found = rows[0];
      return found && { ...found, files: found.files.map(toFile) };
    },

    /** The files after the first ones, a page at a time, each as it is when it is read. */
    async *filesAfter(
      audienceId: number,
      last: AudienceFile | undefined,
      limit: number = filesPerPage,
    ): AsyncGenerator<readonly AudienceFile[]> {
      for (let after = last?.entryId ?? 0; ; ) {
        const page = filesOf(sql`${audienceId}::bigint`, after, limit);
        const { rows } = await sql<FileRow>`${page}`.execute(db);
        if (rows.length > 0) yield rows.map(toFile);
        if (rows.length < limit) return;
        after = rows.at(-1)!.entryId;
      }
    },
  };
}

type FileRow = Omit<AudienceFile, 'updatedAt'> & { readonly updatedAt: string | Date };

function toFile(row: FileRow): AudienceFile {
  return { ...row, updatedAt: new Date(row.updatedAt) };
}

/** Files of an audience after that entry, in the order of their first load. */
function filesOf(audienceId: RawBuilder<unknown>, after: number, limit: number) {
  return sql`
    select entry_id as "entryId", s3_path as "s3Path", ${fileState} as state,
      rows_uploaded as "rowsUploaded", file.updated_at as "updatedAt"
    from audience_file as file left join job using (job_id)
    where file.audience_id = ${audienceId} and entry_id > ${after}
    order by entry_id
    limit ${limit}
  `;
}

/** The row of the partner stays locked, so that concurrent creations cannot exceed the limit together. */
async function countAudience(db: Database, partnerId: number, most: number): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('partner')
    .set({ audiences: sql`audiences + 1` })
    .where('partner_id', '=', partnerId)
    .where('audiences', '<', most)
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return;
  // There is no way to delete an audience, but one that is cleared can be used again.
  throw limitReached(
    'audiences',
    most,
    'Clear an audience that is not used and load into it, or ask the operator for a higher limit.',
  );
}
