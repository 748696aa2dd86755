import { sql } from 'kysely';
import { type ImportProblem, keepFirst } from '../../domain/import-problems.ts';
import type { Database } from '../database/connection.ts';
import { type Claim, ClaimLost, createJobs } from '../queue/jobs.ts';

/** What a job loads, and into which audience. */
export interface AudienceLoad {
  readonly audienceId: number;
  readonly segmentId: number;
  /** The audience was cleared so often when the load was asked for. */
  readonly generation: number;
  /** Where the files lie in the shared bucket: a key, or what their keys begin with. */
  readonly path: string;
}

/** How the audience's devices count, at the universe's version. */
export interface MatchedDevices {
  readonly matchedDevices: number;
  readonly universeVersion: number;
}

/** How loading a file ended. */
export interface LoadedFile {
  readonly s3Path: string;
  readonly etag: string;
  readonly outcome: 'done' | 'failed';
  /** Valid rows; none count of a file that failed. */
  readonly rows: number;
  readonly problems: readonly ImportProblem[];
}

export type AudienceLoads = ReturnType<typeof createAudienceLoads>;

/** What the job that loads an audience reads and writes; all it writes is fenced by `hold`. */
export function createAudienceLoads(db: Database) {
  return {
    async request(jobId: number): Promise<AudienceLoad> {
      return db
        .selectFrom('audience_load')
        .innerJoin('audience', 'audience.audience_id', 'audience_load.audience_id')
        .select([
          'audience.audience_id as audienceId',
          'audience.segment_id as segmentId',
          'audience_load.generation',
          'audience_load.path',
        ])
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow();
    },

    /**
     * Keeps the audience and the claim until the transaction ends; throws ClaimLost to abort it.
     * The audience comes first, as it does for a clear, or the two could wait for each other.
     */
    async hold(claim: Claim, { audienceId, generation }: AudienceLoad): Promise<void> {
      const { rows } = await sql`
        select from audience
        where audience_id = ${audienceId} and generation = ${generation}
        for no key update
      `.execute(db);
      if (rows.length === 0) throw new ClaimLost(claim);
      await createJobs(db).hold(claim);
    },

    /** The ETag of each file that stands loaded, by its path. */
    async loaded({ audienceId }: AudienceLoad): Promise<Map<string, string>> {
      const rows = await db
        .selectFrom('audience_file')
        .select(['s3_path', 'etag'])
        .where('audience_id', '=', audienceId)
        .where('state', '=', 'done')
        .execute();
      return new Map(rows.map((row) => [row.s3_path, row.etag!]));
    },

    /**
     * Enters the files that an attempt is going to load, in their order; the rows that earlier
     * loads of them rejected go. What an earlier attempt entered and this one did not find any more
     * is as it was before.
     */
    async enterFiles(
      claim: Claim,
      { audienceId }: AudienceLoad,
      s3Paths: readonly string[],
    ): Promise<void> {
      await sql`
        delete from import_reject using audience_file as file
        where audience_id = ${audienceId} and s3_path = any(${s3Paths}::text[])
          and import_reject.job_id = file.job_id and import_reject.attempt = file.attempt
          and import_reject.position = file.position
      `.execute(db);
      await sql`
        insert into audience_file (audience_id, s3_path, job_id, attempt, position, state)
        select ${audienceId}::bigint, s3_path, ${claim.jobId}::bigint, ${claim.attempt}::integer,
          position - 1, 'pending'
        from unnest(${s3Paths}::text[]) with ordinality as found (s3_path, position)
        order by position
        on conflict (audience_id, s3_path) do update
        set job_id = excluded.job_id, attempt = excluded.attempt, position = excluded.position,
          state = excluded.state, updated_at = clock_timestamp()
      `.execute(db);
      const left = sql`
        audience_id = ${audienceId} and job_id = ${claim.jobId} and attempt < ${claim.attempt}
          and state in ('pending', 'running')
      `;
      await sql`delete from audience_file where ${left} and ended_as is null`.execute(db);
      await sql`update audience_file set state = ended_as where ${left}`.execute(db);
    },

    /** Notes that files are being read, unless they have ended meanwhile. */
    async beginFiles({ audienceId }: AudienceLoad, s3Paths: readonly string[]): Promise<void> {
      await sql`
        update audience_file set state = 'running', updated_at = clock_timestamp()
        where audience_id = ${audienceId} and s3_path = any(${s3Paths}::text[])
          and state = 'pending'
      `.execute(db);
    },

    /** Writes down how files ended; call it in the transaction that commits their devices. */
    async endFiles({ audienceId }: AudienceLoad, files: readonly LoadedFile[]): Promise<void> {
      await sql`
        update audience_file
        set state = ended.state, ended_as = ended.state, problems = ended.problems::jsonb, updated_at = clock_timestamp(),
          etag = case ended.state when 'done' then ended.etag else audience_file.etag end,
          rows_uploaded = case ended.state when 'done' then ended.rows else rows_uploaded end
        from unnest(
          ${files.map(({ s3Path }) => s3Path)}::text[], ${files.map(({ outcome }) => outcome)}::text[],
          ${files.map(({ etag }) => etag)}::text[], ${files.map(({ rows }) => rows)}::bigint[],
          ${files.map(({ problems }) => keptProblems(problems))}::text[]
        ) as ended (s3_path, state, etag, rows, problems)
        where audience_id = ${audienceId} and audience_file.s3_path = ended.s3_path
      `.execute(db);
    },

    /** Counts what a commit brought. */
    async count(
      { audienceId }: AudienceLoad,
      uploadedDevices: number,
      { matchedDevices, universeVersion }: MatchedDevices,
    ): Promise<void> {
      await db
        .updateTable('audience')
        .set({
          uploaded_devices: sql`uploaded_devices + ${uploadedDevices}`,
          matched_devices: matchedDevices,
          matched_version: universeVersion,
          updated_at: sql`clock_timestamp()`,
        })
        .where('audience_id', '=', audienceId)
        .execute();
    },

    /** How many devices were last found in the universe, and at which version of it. */
    async matched({ audienceId }: AudienceLoad): Promise<MatchedDevices> {
      return db
        .selectFrom('audience')
        .select(['matched_devices as matchedDevices', 'matched_version as universeVersion'])
        .where('audience_id', '=', audienceId)
        .executeTakeFirstOrThrow();
    },

    /** Writes down why a load failed as a whole, which its unfinished files did with it. */
    async fail(jobId: number, problem: ImportProblem): Promise<void> {
      await db
        .updateTable('audience_load')
        .set({ problem: JSON.stringify(problem) })
        .where('job_id', '=', jobId)
        .execute();
      await db
        .updateTable('audience_file')
        .set({
          state: 'failed',
          ended_as: 'failed',
          problems: null,
          updated_at: sql`clock_timestamp()`,
        })
        .where('job_id', '=', jobId)
        .where('state', 'in', ['pending', 'running'])
        .execute();
    },
  };
}

function keptProblems(problems: readonly ImportProblem[]): string | null {
  return problems.length === 0 ? null : JSON.stringify(keepFirst(problems));
}
