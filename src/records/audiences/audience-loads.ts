import { sql } from 'kysely';
import type { ImportProblem } from '../../domain/import-problems.ts';
import type { Database } from '../database/connection.ts';
import { refuseNewerSchema } from '../database/schema-version.ts';
import { type Claim, ClaimLost, createJobs } from '../queue/jobs.ts';
import { fileProblems, rejectedRowsOf, summaryOf } from '../queue/load-problems.ts';
import { unfinishedLoads } from '../queue/unfinished-loads.ts';

export interface NewAudienceLoad {
  readonly audienceId: number;
  /** The audience's generation when the load was queued. A clear raises it. */
  readonly generation: number;
  /** A key of the shared bucket, or the prefix of the files' keys. */
  readonly path: string;
  /** The path is the key of one file, of which only this version is read. Null: it may be a prefix. */
  readonly etag?: string | null;
}

/** A job's load, and the segment of the audience it loads into. */
export interface AudienceLoad extends NewAudienceLoad {
  readonly segmentId: number;
  readonly etag: string | null;
  /** Whether no load came before it since the audience was created or cleared. */
  readonly isFirst: boolean;
}

export type AudienceLoads = ReturnType<typeof createAudienceLoads>;

/** Which job loads which files into which audience. */
export function createAudienceLoads(db: Database) {
  return {
    async add(jobId: number, load: NewAudienceLoad): Promise<void> {
      const { audienceId, generation, path, etag = null } = load;
      await db
        .insertInto('audience_load')
        .values({ job_id: jobId, audience_id: audienceId, generation, path, etag })
        .execute();
    },

    async request(jobId: number): Promise<AudienceLoad> {
      return db
        .selectFrom('audience_load')
        .innerJoin('audience', 'audience.audience_id', 'audience_load.audience_id')
        .select([
          'audience.audience_id as audienceId',
          'audience.segment_id as segmentId',
          'audience_load.generation',
          'audience_load.path',
          'audience_load.etag',
          sql<boolean>`not exists (
            select from audience_load as earlier
            where earlier.audience_id = audience_load.audience_id
              and earlier.generation = audience_load.generation
              and earlier.job_id < audience_load.job_id
          )`.as('isFirst'),
        ])
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow();
    },

    /**
     * Locks the audience and the claim until the transaction ends, and throws ClaimLost to roll it
     * back. Everything that a load writes is fenced by this. The audience is locked first, as a
     * clear does, so the two cannot deadlock.
     */
    async lockAudienceAndClaim(
      claim: Claim,
      { audienceId, generation }: AudienceLoad,
    ): Promise<void> {
      await refuseNewerSchema(db);
      const { rows } = await sql`
        select from audience
        where audience_id = ${audienceId} and generation = ${generation}
        for no key update
      `.execute(db);
      if (rows.length === 0) throw new ClaimLost(claim);
      await createJobs(db).lockClaim(claim);
    },

    async unfinishedJobs(audienceId: number): Promise<number[]> {
      const { rows } = await sql<{ jobId: number }>`
        select unfinished.job_id as "jobId" from audience
        cross join lateral (select job_id from ${unfinishedLoads}) as unfinished
        where audience_id = ${audienceId}
      `.execute(db);
      return rows.map(({ jobId }) => jobId);
    },

    /** Records why the load failed as a whole. */
    async setProblem(jobId: number, problem: ImportProblem): Promise<void> {
      await db
        .updateTable('audience_load')
        .set({ problem: JSON.stringify(problem) })
        .where('job_id', '=', jobId)
        .execute();
    },

    /** Keeps the problems of the loads' files. Call it when the loads end. */
    async keepFileProblems(jobIds: readonly number[]): Promise<void> {
      // Without the value, which may be an identifier.
      await sql`
        update audience_load
        set (file_problems, first_file_problem) = (
            select problems, problem - '{file,line,column,value,count}'::text[]
            from (${summaryOf(fileProblems)}) as summary
          ),
          rejected_rows = (${rejectedRowsOf(fileProblems)})
        where job_id = any(${jobIds}::bigint[])
      `.execute(db);
    },

    /** The same for loads that were cancelled. The files that they did not load fail. */
    async stop(jobIds: readonly number[], problem: ImportProblem): Promise<void> {
      await sql`
        update audience_load set problem = ${JSON.stringify(problem)}
        where job_id = any(${jobIds}::bigint[])
      `.execute(db);
    },
  };
}
