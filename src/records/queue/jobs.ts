import { sql } from 'kysely';
import type { JobKind } from '../../domain/job.ts';
import type { Database } from '../database/connection.ts';

/** One attempt's hold on a job. `attempt` is the fence: a later claim has a higher one. */
export interface Claim {
  readonly jobId: number;
  readonly partnerId: number;
  readonly kind: JobKind;
  readonly attempt: number;
}

/** The job was given to another attempt, so this one may not commit anything. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';

  constructor(claim: Claim) {
    super(`attempt ${claim.attempt} at job ${claim.jobId} no longer holds it`);
  }
}

/** What became of a job whose worker was lost. */
export interface LostJob {
  readonly jobId: number;
  readonly kind: JobKind;
  readonly losses: number;
  readonly state: 'pending' | 'failed';
}

export interface LaneDepth {
  readonly partnerId: number;
  readonly name: string;
  readonly pending: number;
  readonly running: number;
  readonly oldestSubmittedAt: Date;
}

export type Jobs = ReturnType<typeof createJobs>;

/**
 * The channel on which workers hear that a lane may have something to do. What is said there, if
 * anything, is the id of a job that was cancelled.
 */
export const jobChannel = 'tributary_job';

export function createJobs(db: Database) {
  return {
    /** Queues a job at the end of its partner's lane; call it in the transaction that records what it is. */
    async submit(partnerId: number, kind: JobKind): Promise<number> {
      // Held until commit: a job's id is given out only after every lower id of the lane has
      // committed or gone, so a worker can never see a later job before an earlier one. Not the
      // lane's row, which claims lock: who submits without pause must not keep them from it.
      await sql`
        select pg_advisory_xact_lock(hashtextextended(current_schema, ${partnerId}))
      `.execute(db);
      const { job_id } = await db
        .insertInto('job')
        .values({ partner_id: partnerId, kind })
        .returning('job_id')
        .executeTakeFirstOrThrow();
      await notify(db);
      return job_id;
    },

    /**
     * Takes the head of a lane that has nothing running, the lane served longest ago first.
     * The head is the lane's lowest open job whatever its state, so a running job and one that
     * waits for its retry both hold up what comes after them. Lanes locked by another claim are
     * skipped. A head claimed between our snapshot and our lock is no longer pending when the
     * update looks again: then we look again too, for another lane may be free.
     */
    async claim(leaseSeconds: number): Promise<Claim | undefined> {
      for (;;) {
        const { rows } = await sql<Claim | { jobId: null }>`
          with free as (
            select lane.partner_id, head.job_id
            from lane
            cross join lateral (
              select job_id, state, available_at
              from job
              where job.partner_id = lane.partner_id and state in ('pending', 'running')
              order by job_id
              limit 1
            ) as head
            where head.state = 'pending' and head.available_at <= now()
            order by lane.served_at, head.job_id
            limit 1
            for no key update of lane skip locked
          ), served as (
            update lane set served_at = clock_timestamp() from free
            where lane.partner_id = free.partner_id
          ), taken as (
            update job
            set state = 'running', attempt = attempt + 1, updated_at = now(), started_at = now(),
              lease_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
            from free
            where job.job_id = free.job_id and job.state = 'pending'
            returning job.job_id as "jobId", job.partner_id as "partnerId", job.kind, job.attempt
          )
          select taken.* from free left join taken on true
        `.execute(db);
        const found = rows[0];
        if (found?.jobId !== null) return found;
      }
    },

    /** Renews the lease. False if the claim is lost. */
    async heartbeat(claim: Claim, leaseSeconds: number): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update job set lease_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
        where ${held(claim)}
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /**
     * Keeps the claim until the transaction ends, so that what it notes is noted by who holds the
     * job; throws ClaimLost to abort it.
     */
    async lockClaim(claim: Claim): Promise<void> {
      const { rows } = await sql`select from job where ${held(claim)} for share`.execute(db);
      if (rows.length === 0) throw new ClaimLost(claim);
    },

    /** Ends the job, in the transaction that commits its effects; throws ClaimLost to abort it. */
    async settle(claim: Claim, state: 'done' | 'failed'): Promise<void> {
      const { numAffectedRows } = await sql`
        update job set state = ${state}, lease_until = null, updated_at = clock_timestamp()
        where ${held(claim)}
      `.execute(db);
      if (numAffectedRows !== 1n) throw new ClaimLost(claim);
    },

    /**
     * Ends jobs whose effect nobody wants any more, in the transaction that decides so. One that
     * runs can commit nothing from then on, and is told.
     */
    async cancel(jobIds: readonly number[]): Promise<void> {
      const { rows } = await sql<{ jobId: number }>`
        update job set state = 'cancelled', lease_until = null, updated_at = clock_timestamp()
        where job_id in (
          select job_id from job
          where job_id = any(${jobIds}::bigint[]) and state in ('pending', 'running')
          order by job_id for no key update
        )
        returning job_id as "jobId"
      `.execute(db);
      for (const { jobId } of rows) await notify(db, String(jobId));
    },

    /** Whether a claim was lost for its job was cancelled. */
    async isCancelled({ jobId }: Claim): Promise<boolean> {
      const job = await db
        .selectFrom('job')
        .select('state')
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      return job?.state === 'cancelled';
    },

    /** Gives the job back, to be tried again after a while; it stays the head of its lane. */
    async release(claim: Claim, afterSeconds: number): Promise<void> {
      await sql`
        update job set state = 'pending', lease_until = null, updated_at = now(),
          available_at = now() + ${afterSeconds} * interval '1 second'
        where ${held(claim)}
      `.execute(db);
      await notify(db);
    },

    /** Counts that storage which is not ours failed this job, in a way that may pass: how often so far. */
    async noteStorageFailure(claim: Claim): Promise<number> {
      const { rows } = await sql<{ failures: number }>`
        update job set storage_failures = storage_failures + 1
        where ${held(claim)}
        returning storage_failures as failures
      `.execute(db);
      if (!rows[0]) throw new ClaimLost(claim);
      return rows[0].failures;
    },

    /** Counts this attempt as lost, as if its worker had died: its lease ends now. */
    async forfeit(claim: Claim): Promise<void> {
      await sql`update job set lease_until = now() where ${held(claim)}`.execute(db);
    },

    /**
     * Takes jobs from workers whose lease ran out: back to the head of their lane, or failed
     * after the last permitted loss. A lost attempt waits a little longer each time, so that a
     * job that kills its worker does not keep the workers from everyone else.
     */
    async takeLost(maxLosses: number): Promise<LostJob[]> {
      const { rows } = await sql<LostJob>`
        update job
        set losses = losses + 1, lease_until = null, updated_at = clock_timestamp(),
          state = case when losses + 1 >= ${maxLosses} then 'failed' else 'pending' end,
          available_at = now() + least(losses * losses, 10) * interval '1 second'
        where job_id in (
          select job_id from job where state = 'running' and lease_until <= now()
          order by job_id for no key update skip locked
        )
        returning job_id as "jobId", kind, losses, state
      `.execute(db);
      return rows;
    },

    /** How many jobs wait and run in each lane that has any, and since when. */
    async depths(): Promise<LaneDepth[]> {
      const { rows } = await sql<LaneDepth>`
        select partner_id as "partnerId", name,
          count(*) filter (where state = 'pending') as pending,
          count(*) filter (where state = 'running') as running,
          min(job.created_at) as "oldestSubmittedAt"
        from job join partner using (partner_id)
        where state in ('pending', 'running')
        group by partner_id, name
        order by partner_id
      `.execute(db);
      return rows;
    },

    /** How many jobs there are in each state. */
    async counts(): Promise<{ state: string; jobs: number }[]> {
      return db
        .selectFrom('job')
        .select((eb) => ['state', eb.fn.countAll<number>().as('jobs')])
        .groupBy('state')
        .execute();
    },
  };
}

function held(claim: Claim) {
  return sql<boolean>`job_id = ${claim.jobId} and attempt = ${claim.attempt} and state = 'running'`;
}

async function notify(db: Database, cancelled = ''): Promise<void> {
  await sql`select pg_notify(${jobChannel}, ${cancelled})`.execute(db);
}
