import { sql } from 'kysely';
import { type ImportProblem, keepFirst } from '../../domain/import-problems.ts';
import type { Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import type { Claim } from '../queue/jobs.ts';
import { noteLoaded } from '../queue/loaded-files.ts';

/** The outcome of loading a file. */
export interface LoadedFile {
  readonly s3Path: string;
  readonly etag: string;
  readonly outcome: 'done' | 'failed';
  /** Valid rows; 0 for a file that failed. */
  readonly rows: number;
  readonly problems: readonly ImportProblem[];
}

const filesPerQuery = 10_000;

export type AudienceFilesRecord = ReturnType<typeof createAudienceFiles>;

/** The files of audiences since their last clear. */
export function createAudienceFiles(db: Database) {
  return {
    /** The ETags of those of the files that are loaded, by path. */
    async loaded(audienceId: number, s3Paths: readonly string[]): Promise<Map<string, string>> {
      const loaded = new Map<string, string>();
      for (let start = 0; start < s3Paths.length; start += filesPerQuery) {
        const { rows } = await sql<{ s3Path: string; etag: string }>`
          select s3_path as "s3Path", etag from audience_file
          where audience_id = ${audienceId} and state = 'done'
            and s3_path = any(${s3Paths.slice(start, start + filesPerQuery)}::text[])
        `.execute(db);
        for (const { s3Path, etag } of rows) loaded.set(s3Path, etag);
      }
      return loaded;
    },

    /** Enters files that an attempt will load, in that order. The first one gets this position. */
    async enter(
      claim: Claim,
      audienceId: number,
      s3Paths: readonly string[],
      firstPosition: number,
    ): Promise<void> {
      await sql`
        insert into audience_file (audience_id, s3_path, job_id, attempt, position, state)
        select ${audienceId}::bigint, s3_path, ${claim.jobId}::bigint, ${claim.attempt}::integer,
          ${firstPosition}::integer + position - 1, 'pending'
        from unnest(${s3Paths}::text[]) with ordinality as found (s3_path, position)
        order by position
        on conflict (audience_id, s3_path) do update
        set job_id = excluded.job_id, attempt = excluded.attempt, position = excluded.position,
          state = excluded.state, updated_at = clock_timestamp()
      `.execute(db);
    },

    /**
     * Restores the state before the job of files that an earlier attempt entered and this one did
     * not find.
     */
    async restoreLeftovers(claim: Claim, audienceId: number): Promise<void> {
      const leftover = sql`
        audience_id = ${audienceId} and job_id = ${claim.jobId} and attempt < ${claim.attempt}
          and state in ('pending', 'running')
      `;
      await deleteInBatches(db, 'audience_file', sql`${leftover} and ended_as is null`);
      await sql`update audience_file set state = ended_as where ${leftover}`.execute(db);
    },

    /** Marks pending files as running. Files that have ended keep their state. */
    async begin(audienceId: number, s3Paths: readonly string[]): Promise<void> {
      await sql`
        update audience_file set state = 'running', updated_at = clock_timestamp()
        where audience_id = ${audienceId} and s3_path = any(${s3Paths}::text[])
          and state = 'pending'
      `.execute(db);
    },

    /** Records the outcome of files; call it in the transaction that commits their devices. */
    async end(audienceId: number, files: readonly LoadedFile[]): Promise<void> {
      const loaded = files.filter(({ outcome }) => outcome === 'done');
      const paths = loaded.map(({ s3Path }) => s3Path);
      await sql`
        with noted as (${noteLoaded(sql`select unnest(${paths}::text[]) as s3_path`)})
        update audience_file
        set state = ended.state, ended_as = ended.state, problems = ended.problems::jsonb, updated_at = clock_timestamp(),
          etag = case ended.state when 'done' then ended.etag else audience_file.etag end,
          rows_uploaded = case ended.state when 'done' then ended.rows else rows_uploaded end
        from unnest(
          ${files.map(({ s3Path }) => s3Path)}::text[], ${files.map(({ outcome }) => outcome)}::text[],
          ${files.map(({ etag }) => etag)}::text[], ${files.map(({ rows }) => rows)}::bigint[],
          ${files.map(({ problems }) => problemsJson(problems))}::text[]
        ) as ended (s3_path, state, etag, rows, problems)
        where audience_id = ${audienceId} and audience_file.s3_path = ended.s3_path
      `.execute(db);
    },

    async failUnfinished(jobId: number): Promise<void> {
      await sql`
        update audience_file
        set state = 'failed', ended_as = 'failed', problems = null, updated_at = clock_timestamp()
        where audience_id = (select audience_id from audience_load where job_id = ${jobId})
          and job_id = ${jobId} and state in ('pending', 'running')
      `.execute(db);
    },

    async removeAll(audienceId: number): Promise<void> {
      await deleteInBatches(db, 'audience_file', sql`audience_id = ${audienceId}`);
    },
  };
}

function problemsJson(problems: readonly ImportProblem[]): string | null {
  return problems.length === 0 ? null : JSON.stringify(keepFirst(problems));
}
