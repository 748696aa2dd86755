import { type RawBuilder, sql } from 'kysely';
import type { RejectCode } from '../../domain/import-problems.ts';
import { atomically, type Database } from '../database/connection.ts';
import { deleteInBatches } from '../database/delete-in-batches.ts';
import { type Claim, createJobs } from './jobs.ts';

export interface NewReject {
  /** Counted from 1. */
  readonly line: number;
  readonly code: RejectCode;
  /** The line's bytes, possibly cut off. */
  readonly original: Uint8Array;
}

export interface Reject extends NewReject {
  readonly s3Path: string;
  readonly original: Buffer;
}

/** A reject, and the position of its file among the job's files. */
export type PositionedReject = Reject & { readonly position: number };

export type Rejects = ReturnType<typeof createRejects>;

export const rejectsPerPage = 1_000;

/** Rows that jobs rejected, kept for a time so that partners can read them. */
export function createRejects(db: Database) {
  return {
    /** Adds rejects of the file at that position among the job's files. */
    async add(claim: Claim, position: number, rejects: readonly NewReject[]): Promise<void> {
      await atomically(db, async (tx) => {
        await createJobs(tx).lockClaim(claim);
        await sql`
          insert into import_reject (job_id, attempt, position, line, code, original)
          select ${claim.jobId}::bigint, ${claim.attempt}::integer, ${position}::integer, given.*
          from unnest(
            ${rejects.map(({ line }) => line)}::bigint[], ${rejects.map(({ code }) => code)}::text[],
            ${rejects.map(({ original }) => original)}::bytea[]
          ) as given
        `.execute(tx);
      });
    },

    /** Deletes the rejects of a file that will be read again. */
    async removeOfFile({ jobId, attempt }: Claim, position: number): Promise<void> {
      await deleteInBatches(
        db,
        'import_reject',
        sql`job_id = ${jobId} and attempt = ${attempt} and position = ${position}`,
      );
    },

    /**
     * Reads an import's rejects by file and line, a page at a time; none while the job is pending.
     * If another attempt begins meanwhile, it deletes these rejects and reading ends.
     */
    async *read(importLogId: number): AsyncGenerator<readonly Reject[]> {
      const job = await db
        .selectFrom('job')
        .select('attempt')
        .where('job_id', '=', importLogId)
        .where('state', '!=', 'pending')
        .executeTakeFirst();
      if (!job) return;
      yield* rejectPages(
        db,
        (last) => sql<PositionedReject>`
          select position, s3_path as "s3Path", line, code, original
          from import_reject join import_file using (job_id, attempt, position)
          where job_id = ${importLogId} and attempt = ${job.attempt}
            and (position, line) > (${last.position}::integer, ${last.line}::bigint)
          order by position, line
          limit ${rejectsPerPage}
        `,
      );
    },

    /**
     * Deletes the rejects of jobs that ended more than `days` ago, and of loads whose audience has
     * been cleared since. Returns the number of rejects deleted.
     */
    async prune(days: number): Promise<number> {
      // Steps from job to job through the primary key, however many rows each job has.
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
      for (const { jobId } of rows) {
        pruned += await deleteInBatches(db, 'import_reject', sql`job_id = ${jobId}`);
      }
      return pruned;
    },
  };
}

/** Runs a query again and again, each time for the page after the last reject of the page before. */
export async function* rejectPages(
  db: Database,
  pageAfter: (last: { position: number; line: number }) => RawBuilder<PositionedReject>,
): AsyncGenerator<readonly Reject[]> {
  let last = { position: -1, line: 0 };
  for (;;) {
    const { rows } = await pageAfter(last).execute(db);
    const end = rows.at(-1);
    if (!end) return;
    last = end;
    yield rows.map(({ position: _, ...reject }) => reject);
  }
}
