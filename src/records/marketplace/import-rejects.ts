import { type RawBuilder, sql } from 'kysely';
import type { RejectCode } from '../../domain/import-problems.ts';
import { fileState } from '../audiences/audiences.ts';
import { atomically, type Database } from '../database/connection.ts';
import { type Claim, createJobs } from '../queue/jobs.ts';

export interface NewReject {
  /** Counted from 1. */
  readonly line: number;
  readonly code: RejectCode;
  /** The line's bytes, as far as they are kept. */
  readonly original: Uint8Array;
}

export interface Reject extends NewReject {
  readonly s3Path: string;
  readonly original: Buffer;
}

export type ImportRejects = ReturnType<typeof createImportRejects>;

/** A file of an audience, and where its rejects are. */
interface RejectingFile {
  readonly s3Path: string;
  readonly jobId: number;
  readonly attempt: number;
  readonly position: number;
}

const rejectsPerPage = 1_000;
const rejectsPerDelete = 50_000;

/** The rows that a job dropped, kept for a time, for the partner to see. */
export function createImportRejects(db: Database) {
  return {
    /** Of the file at that position among the job's files. */
    async add(claim: Claim, position: number, rejects: readonly NewReject[]): Promise<void> {
      await atomically(db, async (tx) => {
        await createJobs(tx).hold(claim);
        await sql`
          insert into import_reject (job_id, attempt, position, line, code, original)
          select ${claim.jobId}::bigint, ${claim.attempt}::integer, ${position}::integer, told.*
          from unnest(
            ${rejects.map(({ line }) => line)}::bigint[], ${rejects.map(({ code }) => code)}::text[],
            ${rejects.map(({ original }) => original)}::bytea[]
          ) as told
        `.execute(tx);
      });
    },

    /** Forgets those of a file that is to be read anew. */
    async takeBack({ jobId, attempt }: Claim, position: number): Promise<void> {
      await db
        .deleteFrom('import_reject')
        .where('job_id', '=', jobId)
        .where('attempt', '=', attempt)
        .where('position', '=', position)
        .execute();
    },

    /**
     * By file and line, a page at a time. None while the job waits. Should another attempt begin
     * meanwhile, it takes away what is being read, and reading ends.
     */
    async *read(importLogId: number): AsyncGenerator<readonly Reject[]> {
      const job = await db
        .selectFrom('job')
        .select('attempt')
        .where('job_id', '=', importLogId)
        .where('state', '!=', 'pending')
        .executeTakeFirst();
      if (!job) return;
      yield* inPages(
        (last) => sql<Reject & { file: number }>`
          select position as file, s3_path as "s3Path", line, code, original
          from import_reject join import_file using (job_id, attempt, position)
          where job_id = ${importLogId} and attempt = ${job.attempt}
            and (position, line) > (${last.file}::integer, ${last.line}::bigint)
          order by position, line
          limit ${rejectsPerPage}
        `,
      );
    },

    /**
     * The same of an audience's files, in the order in which they were first loaded: those of the
     * load that each file's entry tells of.
     */
    async *readOfAudience(audienceId: number): AsyncGenerator<readonly Reject[]> {
      const { rows: files } = await sql<RejectingFile>`
        select s3_path as "s3Path", job_id as "jobId", file.attempt, position
        from audience_file as file join job using (job_id)
        where audience_id = ${audienceId} and ${fileState} <> 'pending'
          and exists (
            select from import_reject as reject
            where reject.job_id = file.job_id and reject.attempt = file.attempt
              and reject.position = file.position
          )
        order by entry_id
      `.execute(db);
      // One file after the other: asked for together they would be sorted anew for each page.
      for (const { s3Path, jobId, attempt, position } of files) {
        yield* inPages(
          (last) => sql<Reject & { file: number }>`
            select ${position}::integer as file, ${s3Path}::text as "s3Path", line, code, original
            from import_reject
            where job_id = ${jobId} and attempt = ${attempt} and position = ${position}
              and line > ${last.line}
            order by line
            limit ${rejectsPerPage}
          `,
        );
      }
    },

    /**
     * Forgets those of jobs that ended so many days ago, and those of audiences that were cleared
     * since: how many there were.
     */
    async prune(days: number): Promise<number> {
      // Steps from job to job through the primary key, however many rows each of them has.
      const { rows } = await sql<{ jobId: number }>`
        with recursive rejecting as (
          select min(job_id) as job_id from import_reject
          union all
          select (select min(job_id) from import_reject where import_reject.job_id > rejecting.job_id)
          from rejecting where job_id is not null
        )
        select job_id as "jobId" from rejecting join job using (job_id)
        where state not in ('pending', 'running') and (
          updated_at < now() - ${days} * interval '1 day'
          or exists (
            select from audience_load join audience using (audience_id)
            where audience_load.job_id = rejecting.job_id
              and audience_load.generation < audience.generation
          )
        )
      `.execute(db);
      let pruned = 0;
      for (const { jobId } of rows) pruned += await deleteAll(jobId);
      return pruned;
    },
  };

  /** Page by page of what a query finds after the last reject of the page before. */
  async function* inPages(
    after: (last: { file: number; line: number }) => RawBuilder<Reject & { file: number }>,
  ): AsyncGenerator<readonly Reject[]> {
    let last = { file: -1, line: 0 };
    for (;;) {
      const { rows } = await after(last).execute(db);
      const end = rows.at(-1);
      if (!end) return;
      last = end;
      yield rows.map(({ file: _, ...reject }) => reject);
    }
  }

  async function deleteAll(jobId: number): Promise<number> {
    for (let deleted = 0; ; ) {
      const { numAffectedRows } = await sql`
        delete from import_reject where ctid = any(array(
          select ctid from import_reject where job_id = ${jobId} limit ${rejectsPerDelete}
        ))
      `.execute(db);
      deleted += Number(numAffectedRows);
      if (Number(numAffectedRows) < rejectsPerDelete) return deleted;
    }
  }
}
