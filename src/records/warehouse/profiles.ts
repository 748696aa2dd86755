import { sql } from 'kysely';
import { type Database, inOneSnapshot } from '../database/connection.ts';
import {
  createManifest,
  idsOf,
  markDropped,
  type Run,
  type StagedRun,
  toRun,
  type VersionSpan,
} from './manifest.ts';
import { enterManifest } from './manifest-gate.ts';

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
      return inOneSnapshot(db, async (tx) => {
        const ids = [...segmentIds];
        const { rows: segments } = await sql<SegmentVersion & { segmentId: number }>`
            select segment_id as "segmentId", version, lost_version as "lostVersion"
            from segment where segment_id = any(${ids}::bigint[])
          `.execute(tx);
        const { rows: runs } = await sql<RunRow & { first_version: number; last_version: number }>`
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
     * Removes profiles, given by their runs, and adds others. The sources of all of them leave every
     * other profile. A file that has devices of a run that it does not number, or that is gone by
     * now, is written again in time. It counts as such a file since `readAt`, when its sources were
     * read. Call it before other runs are locked in the transaction, except `alsoDropped`.
     */
    async replace(
      removed: readonly Run[],
      staged: readonly StagedProfile[],
      { alsoDropped = [], readAt = null }: ReplaceOptions = {},
    ): Promise<void> {
      await enterManifest(db);
      const added = staged.flatMap(({ sources }) => idsOf(sources));
      const sources = await lockSources(db, removed, [...added, ...idsOf(alsoDropped)]);
      await takeOut(db, [...sources, ...added]);
      // Another process may have removed some already.
      const existing = await createManifest(db).runsOf(removed.map(({ segmentId }) => segmentId));
      if (existing.length > 0) {
        await createManifest(db).apply({ add: [], drop: existing });
        const segmentIds = existing.map(({ segmentId }) => segmentId);
        await sql`delete from segment where segment_id = any(${segmentIds}::bigint[])`.execute(db);
      }
      for (const profile of staged) await add(db, profile, readAt);
    },

    /** The runs of attributes that no profile numbers, and the profiles, each with its runs. */
    async state(): Promise<ProfileState> {
      return inOneSnapshot(db, async (tx) => {
        const { rows: times } = await sql<{ readAt: Date }>`select now() as "readAt"`.execute(tx);
        const { rows: bare } = await sql<RunRow>`
        select run.* from run join segment using (segment_id)
        where kind = 'attribute'
          and not exists (select from profile_source where profile_source.run_id = run.run_id)
          and not exists (select from damaged_run where damaged_run.run_id = run.run_id)
          and not exists (select from universe_change where universe_change.run_id = run.run_id)
        order by run_id
      `.execute(tx);
        const { rows: numbered } = await sql<RunRow & { profile: number }>`
        select distinct run.*, profile_source.segment_id as profile
        from profile_source join run using (run_id)
        where not exists (select from damaged_run where damaged_run.run_id = run.run_id)
        order by profile, run_id
      `.execute(tx);
        const { rows: profiles } = await sql<RunRow & { dropped_at: Date | null }>`
        select run.*, dropped_at from profile join run using (segment_id) join run_file using (file)
        order by run_id
      `.execute(tx);
        const sources = Map.groupBy(numbered, ({ profile }) => profile);
        return {
          readAt: times[0]!.readAt,
          bare: bare.map(toRun),
          profiles: profiles.map((row) => ({
            run: toRun(row),
            sources: (sources.get(row.segment_id) ?? []).map(toRun),
            lostSourceAt: row.dropped_at,
          })),
        };
      });
    },
  };
}

/** Adds a profile. Its sources are locked and in no other profile. */
async function add(
  db: Database,
  { run, sources }: StagedProfile,
  readAt: Date | null,
): Promise<void> {
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
    from unnest(${idsOf(sources)}::bigint[]) with ordinality as source (run_id, ordinality)
    join run using (run_id)
  `.execute(db);
  if (numAffectedRows !== BigInt(sources.length)) await markDropped(db, [run.file], readAt);
}

/**
 * Locks the sources of the profiles, the profiles' own runs and others, in the order in which a drop
 * locks runs. Returns the sources. A source that is replaced meanwhile leaves its numbers to another
 * run, so the sources are read again until they are locked.
 */
async function lockSources(
  db: Database,
  profiles: readonly Run[],
  others: readonly number[],
): Promise<number[]> {
  const segmentIds = profiles.map(({ segmentId }) => segmentId);
  const read = async () => {
    const { rows } = await sql<{ runId: number }>`
      select distinct run_id as "runId" from profile_source
      where segment_id = any(${segmentIds}::bigint[]) order by run_id
    `.execute(db);
    return rows.map(({ runId }) => runId);
  };
  for (let sources = await read(); ; ) {
    await sql`
      select from run where run_id = any(${[...sources, ...idsOf(profiles), ...others]}::bigint[])
      order by run_id for no key update
    `.execute(db);
    const now = await read();
    if (now.every((runId) => sources.includes(runId))) return now;
    sources = now;
  }
}

/**
 * Takes runs out of all profiles, because all devices of a run are in profiles, or none are. The files
 * then have devices of runs that they do not number.
 */
async function takeOut(db: Database, runIds: readonly number[]): Promise<void> {
  const { rows } = await sql<{ file: string }>`
    with leaving as (
      delete from profile_source where run_id = any(${[...runIds]}::bigint[])
      returning segment_id
    )
    select distinct file from run join leaving using (segment_id)
  `.execute(db);
  if (rows.length === 0) return;
  await markDropped(
    db,
    rows.map(({ file }) => file),
  );
}

interface ReplaceOptions {
  readonly alsoDropped?: readonly Run[];
  readonly readAt?: Date | null;
}

export interface ProfileState {
  /** Runs that were dropped before are not in it. */
  readonly readAt: Date;
  readonly bare: readonly Run[];
  readonly profiles: readonly {
    readonly run: Run;
    readonly sources: readonly Run[];
    /** Since when the file has devices of a run that is gone. */
    readonly lostSourceAt: Date | null;
  }[];
}
