import { type RawBuilder, sql } from 'kysely';
import type { RejectCode } from '../../domain/import-problems.ts';
import { limits } from '../../domain/limits.ts';
import { atomically, type Database } from '../database/connection.ts';
import { rowsPerDelete } from '../database/delete-in-batches.ts';
import { createSuppression, type SuppressionVersions } from '../warehouse/suppression.ts';
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

interface RejectPlace {
  readonly jobId: number;
  readonly attempt: number;
  readonly position: number;
  readonly line: number;
}

interface StoredReject extends RejectPlace {
  readonly original: Buffer;
}

/** How many bytes of rejects are kept. */
export interface RejectAllowance {
  readonly bytesPerJob: number;
  readonly bytesPerPartner: number;
}

export type Rejects = ReturnType<typeof createRejects>;

export const rejectsPerPage = 200;

const defaultAllowance: RejectAllowance = {
  bytesPerJob: limits.rejectBytesPerJob.most,
  bytesPerPartner: limits.rejectBytesPerPartner.most,
};

/** What a reject takes in the database besides its line, about. */
const overheadBytes = 100;
const bytesInSql = sql`octet_length(original) + ${sql.lit(overheadBytes)}`;

/** Rows that jobs rejected, kept for a time so that partners can read them. */
export function createRejects(db: Database) {
  return {
    /**
     * Adds rejects of the file at that position among the job's files: the first ones, as far as the
     * job's allowance goes. Returns how many. If the partner has too many, those of its oldest jobs are
     * deleted. Its jobs run one at a time, so nothing else uses up its allowance meanwhile. Throws
     * SuppressionChanged unless the suppressed sets still have the versions that were `seen`.
     */
    async add(
      claim: Claim,
      position: number,
      rejects: readonly NewReject[],
      allowance: RejectAllowance = defaultAllowance,
      seen: Partial<SuppressionVersions> = {},
    ): Promise<number> {
      const { jobId, partnerId } = claim;
      const { bytesPerPartner } = allowance;
      const bytesPerJob = Math.min(allowance.bytesPerJob, bytesPerPartner);
      if ((await bytesOf(db, jobId)) === undefined) {
        await makeRoom(db, claim, bytesPerPartner - bytesPerJob);
      }
      return atomically(db, async (tx) => {
        await createSuppression(tx).hold(seen);
        await createJobs(tx).lockClaim(claim);
        const room = bytesPerJob - ((await bytesOf(tx, jobId)) ?? 0);
        const { kept, bytes } = firstThatFit(rejects, room);
        if (kept.length === 0) return 0;
        await sql`
          with counted as (
            insert into reject_use (job_id, partner_id, bytes)
            values (${jobId}, ${partnerId}, ${bytes})
            on conflict (job_id) do update set bytes = reject_use.bytes + excluded.bytes
          )
          insert into import_reject (job_id, attempt, position, line, code, original)
          select ${jobId}::bigint, ${claim.attempt}::integer, ${position}::integer, given.*
          from unnest(
            ${kept.map(({ line }) => line)}::bigint[], ${kept.map(({ code }) => code)}::text[],
            ${kept.map(({ original }) => original)}::bytea[]
          ) as given
        `.execute(tx);
        return kept.length;
      });
    },

    /** Deletes the rejects of a file that will be read again. */
    async removeOfFile({ jobId, attempt }: Claim, position: number): Promise<void> {
      await deleteRejects(
        db,
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

    /** All rejects, a page at a time. */
    async *all(): AsyncGenerator<readonly StoredReject[]> {
      let last = { jobId: 0, attempt: 0, position: 0, line: 0 };
      for (;;) {
        const { rows } = await sql<StoredReject>`
          select job_id as "jobId", attempt, position, line, original from import_reject
          where (job_id, attempt, position, line) > (
            ${last.jobId}::bigint, ${last.attempt}::integer, ${last.position}::integer,
            ${last.line}::bigint
          )
          order by job_id, attempt, position, line
          limit ${rejectsPerPage}
        `.execute(db);
        if (rows.length === 0) return;
        yield rows;
        last = rows.at(-1)!;
      }
    },

    /** Deletes rejects of any jobs; returns how many there were. */
    async remove(rejects: readonly RejectPlace[]): Promise<number> {
      const column = (of: (reject: RejectPlace) => number) => rejects.map(of);
      return deleteRejects(
        db,
        sql`(job_id, attempt, position, line) in (
          select * from unnest(
            ${column(({ jobId }) => jobId)}::bigint[],
            ${column(({ attempt }) => attempt)}::integer[],
            ${column(({ position }) => position)}::integer[],
            ${column(({ line }) => line)}::bigint[]
          )
        )`,
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
        pruned += await deleteRejects(db, sql`job_id = ${jobId}`);
      }
      return pruned;
    },
  };
}

/** Deletes the rejects that meet the condition, in batches, and returns how many. */
export async function deleteRejects(db: Database, condition: RawBuilder<unknown>): Promise<number> {
  for (let deleted = 0; ; ) {
    const { rows } = await sql<{ rejects: number; jobIds: number[] | null }>`
      with gone as (
        delete from import_reject where ctid = any(array(
          select ctid from import_reject where ${condition} limit ${rowsPerDelete}
        ))
        returning job_id, ${bytesInSql} as bytes
      ), freed as (
        update reject_use set bytes = reject_use.bytes - freed.bytes
        from (select job_id, sum(bytes) as bytes from gone group by job_id) as freed
        where reject_use.job_id = freed.job_id
      )
      select count(*) as rejects, array_agg(distinct job_id) as "jobIds" from gone
    `.execute(db);
    const { rejects, jobIds } = rows[0]!;
    await sql`delete from reject_use where job_id = any(${jobIds}) and bytes = 0`.execute(db);
    deleted += rejects;
    if (rejects < rowsPerDelete) return deleted;
  }
}

/** Deletes the rejects of a partner's oldest jobs until those before this job take no more than that. */
async function makeRoom(
  db: Database,
  { partnerId, jobId }: Claim,
  permittedBytes: number,
): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ jobId: number; isTooMuch: boolean }>`
      select job_id as "jobId", sum(bytes) over () > ${permittedBytes} as "isTooMuch"
      from reject_use where partner_id = ${partnerId} and job_id <> ${jobId}
      order by job_id limit 1
    `.execute(db);
    const oldest = rows[0];
    if (!oldest?.isTooMuch) return;
    await deleteRejects(db, sql`job_id = ${oldest.jobId}`);
  }
}

/** The first rejects that together take no more than `room` bytes. */
function firstThatFit(
  rejects: readonly NewReject[],
  room: number,
): { kept: readonly NewReject[]; bytes: number } {
  let bytes = 0;
  for (const [i, { original }] of rejects.entries()) {
    const more = original.length + overheadBytes;
    if (bytes + more > room) return { kept: rejects.slice(0, i), bytes };
    bytes += more;
  }
  return { kept: rejects, bytes };
}

/** The bytes of a job's rejects; undefined if it never had any. */
async function bytesOf(db: Database, jobId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('reject_use')
    .select('bytes')
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  return row?.bytes;
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
