import { sql } from 'kysely';
import type { LoadState } from '../../domain/job.ts';
import { firstPage, type Page } from '../../domain/page.ts';
import { atomically, type Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { type Claim, createJobs } from '../queue/jobs.ts';
import { deleteRejects } from '../queue/rejects.ts';

export interface ImportFile {
  /** Its place in the list, counted from 1. */
  readonly number: number;
  readonly s3Path: string;
  readonly state: LoadState;
  readonly totalRows: number;
  readonly rejectedRows: number;
  readonly updatedAt: Date;
}

export interface FileProgress {
  readonly state: 'running' | 'done' | 'failed';
  readonly totalRows: number;
  readonly rejectedRows: number;
}

const filesPerInsert = 10_000;

export type ImportFiles = ReturnType<typeof createImportFiles>;

/** The files that an attempt at an import found, and its progress with each. */
export function createImportFiles(db: Database) {
  async function updateAll(
    claim: Claim,
    files: readonly (FileProgress & { readonly position: number })[],
  ): Promise<void> {
    await atomically(db, async (tx) => {
      await createJobs(tx).lockClaim(claim);
      await sql`
        update import_file
        set state = given.state, total_rows = given.total_rows, rejected_rows = given.rejected_rows,
          updated_at = clock_timestamp()
        from unnest(
          ${files.map(({ position }) => position)}::integer[], ${files.map(({ state }) => state)}::text[],
          ${files.map(({ totalRows }) => totalRows)}::bigint[],
          ${files.map(({ rejectedRows }) => rejectedRows)}::bigint[]
        ) as given (position, state, total_rows, rejected_rows)
        where job_id = ${claim.jobId} and attempt = ${claim.attempt}
          and import_file.position = given.position
      `.execute(tx);
    });
  }

  return {
    /** Enters the files to be read, in key order, and deletes the files and rejects from before. */
    async begin(claim: Claim, s3Paths: readonly string[]): Promise<void> {
      const { jobId, attempt } = claim;
      const before = sql`job_id = ${jobId} and attempt <= ${attempt}`;
      await deleteInBatches(db, 'import_file', before);
      await deleteRejects(db, before);
      for (let start = 0; start < s3Paths.length; start += filesPerInsert) {
        const batch = s3Paths.slice(start, start + filesPerInsert);
        await atomically(db, async (tx) => {
          await createJobs(tx).lockClaim(claim);
          await sql`
            insert into import_file (job_id, attempt, position, s3_path)
            select ${jobId}::bigint, ${attempt}::integer, ${start}::integer + position - 1, s3_path
            from unnest(${batch}::text[]) with ordinality as found (s3_path, position)
          `.execute(tx);
        });
      }
    },

    /** Updates the file at that position. */
    update: (claim: Claim, position: number, file: FileProgress) =>
      updateAll(claim, [{ position, ...file }]),

    updateAll,

    /** In key order. None while the job is pending, because the next attempt lists them again. */
    async list(importLogId: number, { after, limit }: Page = firstPage): Promise<ImportFile[]> {
      // A file that was being read when the job failed has failed with it.
      const { rows } = await sql<ImportFile>`
        select position + 1 as number, s3_path as "s3Path", total_rows as "totalRows", rejected_rows as "rejectedRows",
          case when import_file.state = 'running' and job.state = 'failed' then 'failed'
            else import_file.state end as state,
          import_file.updated_at as "updatedAt"
        from import_file join job using (job_id, attempt)
        where job_id = ${importLogId} and job.state <> 'pending' and position >= ${after ?? 0}::integer
        order by position
        limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}
