import { sql } from 'kysely';
import type { Database } from '../database/connection.ts';
import { createManifest, type Run, type StagedRun, toRun, type VersionSpan } from './manifest.ts';

/** A run whose devices have lists of the runs that hold them, by number. */
export interface Profile {
  readonly run: Run;
  /** How many runs it numbers, from 0, including those that are gone. */
  readonly numbers: number;
}

/** A written profile, and the runs that it numbers, in the order of their numbers. */
export interface StagedProfile {
  readonly run: Omit<StagedRun, 'segmentId'>;
  readonly sources: readonly Run[];
}

/** A run of a segment, and its numbers in profiles. */
export interface SourceRun extends Run, VersionSpan {
  readonly numbers: readonly { readonly profile: number; readonly number: number }[];
}

/** Everything that a comparison with segments needs, read in one snapshot. */
export interface Sources {
  /** The version of each segment. */
  readonly versions: ReadonlyMap<number, SegmentVersion>;
  /** The readable runs of the segments. */
  readonly runs: readonly SourceRun[];
  /** By segment. */
  readonly profiles: ReadonlyMap<number, Profile>;
}

interface SegmentVersion {
  readonly version: number;
  /** The version with which the segment last lost a device. */
  readonly lostVersion: number;
}

export type Profiles = ReturnType<typeof createProfiles>;

type RunRow = Parameters<typeof toRun>[0];

export function createProfiles(db: Database) {
  return {
    async sourcesOf(segmentIds: readonly number[]): Promise<Sources> {
      return db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async (tx) => {
          const ids = [...segmentIds];
          const { rows: segments } = await sql<SegmentVersion & { segmentId: number }>`
            select segment_id as "segmentId", version, lost_version as "lostVersion"
            from segment where segment_id = any(${ids}::bigint[])
          `.execute(tx);
          const { rows: runs } = await sql<
            RunRow & { first_version: number; last_version: number }
          >`
            select run.* from run
            where segment_id = any(${ids}::bigint[])
              and not exists (select from damaged_run where damaged_run.run_id = run.run_id)
            order by run_id
          `.execute(tx);
          const { rows: numbers } = await sql<{ profile: number; number: number; runId: number }>`
            select profile_source.segment_id as profile, number, run_id as "runId"
            from profile_source join run using (run_id)
            where run.segment_id = any(${ids}::bigint[])
          `.execute(tx);
          const { rows: profiles } = await sql<RunRow & { numbers: number }>`
            select run.*, numbers from profile join run using (segment_id)
            where segment_id = any(${[...new Set(numbers.map(({ profile }) => profile))]}::bigint[])
          `.execute(tx);
          const byRun = Map.groupBy(numbers, ({ runId }) => runId);
          return {
            versions: new Map(segments.map(({ segmentId, ...rest }) => [segmentId, rest])),
            runs: runs.map((row) => ({
              ...toRun(row),
              firstVersion: row.first_version,
              lastVersion: row.last_version,
              numbers: byRun.get(row.run_id) ?? [],
            })),
            profiles: new Map(
              profiles.map((row) => [row.segment_id, { run: toRun(row), numbers: row.numbers }]),
            ),
          };
        });
    },

    /**
     * Adds profiles. Their sources leave any other profile. A file that has devices of a run that it
     * does not number, or that is gone by now, is written again in time.
     */
    async add(profiles: readonly StagedProfile[]): Promise<void> {
      for (const { run, sources } of profiles) {
        const runIds = sources.map(({ runId }) => runId);
        await takeOut(db, runIds);
        const { segment_id: segmentId } = await db
          .insertInto('segment')
          .values({ kind: 'profile' })
          .returning('segment_id')
          .executeTakeFirstOrThrow();
        await createManifest(db).apply({ add: [{ ...run, segmentId }], drop: [] });
        await db
          .insertInto('profile')
          .values({ segment_id: segmentId, numbers: sources.length })
          .execute();
        const { numAffectedRows } = await sql`
          insert into profile_source (segment_id, number, run_id)
          select ${segmentId}, ordinality - 1, run_id
          from unnest(${runIds}::bigint[])
            with ordinality as source (run_id, ordinality)
          join run using (run_id)
          for key share of run
        `.execute(db);
        if (numAffectedRows === BigInt(sources.length)) continue;
        await sql`
          update run_file set dropped_at = clock_timestamp() where file = ${run.file}
        `.execute(db);
      }
    },

    /** Removes the profiles with these runs. Their sources leave all other profiles as well. */
    async remove(runs: readonly Run[]): Promise<void> {
      if (runs.length === 0) return;
      const segmentIds = runs.map(({ segmentId }) => segmentId);
      const { rows: sources } = await sql<{ runId: number }>`
        select distinct run_id as "runId" from profile_source
        where segment_id = any(${segmentIds}::bigint[])
      `.execute(db);
      await takeOut(
        db,
        sources.map(({ runId }) => runId),
      );
      await createManifest(db).apply({ add: [], drop: runs });
      await sql`delete from segment where segment_id = any(${segmentIds}::bigint[])`.execute(db);
    },

    /** The runs of attributes that no profile numbers, and the profiles, each with its runs. */
    async state(): Promise<ProfileState> {
      const { rows: bare } = await sql<RunRow>`
        select run.* from run join segment using (segment_id)
        where kind = 'attribute'
          and not exists (select from profile_source where profile_source.run_id = run.run_id)
          and not exists (select from damaged_run where damaged_run.run_id = run.run_id)
          and not exists (select from universe_change where universe_change.run_id = run.run_id)
        order by run_id
      `.execute(db);
      const { rows: numbered } = await sql<RunRow & { profile: number }>`
        select distinct run.*, profile_source.segment_id as profile
        from profile_source join run using (run_id)
        order by profile, run_id
      `.execute(db);
      const { rows: profiles } = await sql<RunRow & { dropped_at: Date | null }>`
        select run.*, dropped_at from profile join run using (segment_id) join run_file using (file)
        order by run_id
      `.execute(db);
      const sources = Map.groupBy(numbered, ({ profile }) => profile);
      return {
        bare: bare.map(toRun),
        profiles: profiles.map((row) => ({
          run: toRun(row),
          sources: (sources.get(row.segment_id) ?? []).map(toRun),
          lostSourceAt: row.dropped_at,
        })),
      };
    },
  };
}

/**
 * Takes runs out of all profiles, because all devices of a run are in profiles, or none are. The files
 * then have devices of runs that they do not number.
 */
async function takeOut(db: Database, runIds: readonly number[]): Promise<void> {
  await sql`
    with leaving as (
      delete from profile_source where run_id = any(${[...runIds]}::bigint[])
      returning segment_id
    )
    update run_file set dropped_at = coalesce(dropped_at, clock_timestamp())
    from run join leaving using (segment_id) where run_file.file = run.file
  `.execute(db);
}

export interface ProfileState {
  readonly bare: readonly Run[];
  readonly profiles: readonly {
    readonly run: Run;
    readonly sources: readonly Run[];
    /** Since when the file has devices of a run that is gone. */
    readonly lostSourceAt: Date | null;
  }[];
}
