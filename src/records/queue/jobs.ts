import { sql } from 'kysely';
import type { JobKind } from '../../domain/job.ts';
import { currentTraceparent } from '../../trace/span.ts';
import { capTimes } from '../database/cap-times.ts';
import type { Database } from '../database/connection.ts';
import { refuseNewer, schemaVersion, supportedSchema } from '../database/schema-version.ts';

/** An attempt's right to work on a job. `attempt` is the fence: a later claim has a higher number. */
export interface Claim {
  readonly jobId: number;
  readonly partnerId: number;
  readonly kind: JobKind;
  readonly attempt: number;
  /** Whether the job may take only the few resources of a small one. */
  readonly mustBeSmall: boolean;
  /** The trace of the submission. Null if it was not traced. */
  readonly traceparent: string | null;
}

/** Another attempt has the job now, or it was cancelled. This attempt must not commit anything. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';

  constructor(claim: Claim) {
    super(`attempt ${claim.attempt} lost its claim on job ${claim.jobId}`);
  }
}

/** A job whose lease expired, and its state after that. */
export interface LostJob {
  readonly jobId: number;
  readonly kind: JobKind;
  readonly losses: number;
  readonly state: 'pending' | 'failed';
}

export interface JobSubject {
  readonly jobId: number;
  readonly partnerId: number;
  readonly audience: { readonly audienceId: number; readonly path: string } | null;
}

export interface LaneDepth {
  readonly partnerId: number;
  readonly name: string;
  readonly pending: number;
  readonly running: number;
  readonly oldestSubmittedAt: Date;
}

export type Jobs = ReturnType<typeof createJobs>;

/** Which jobs to claim. Without a choice, any. */
export interface JobChoice {
  /** True: only suspects. False: no suspects. */
  readonly suspects?: boolean | undefined;
  /** Leaves out jobs known to be large. The claim is for a small job. */
  readonly onlySmall?: boolean | undefined;
}

/**
 * When a process dies, all its jobs lose their worker, and any of them may be the cause. A job that
 * lost this many workers is a suspect: it runs in a process of its own, where it is the only cause.
 */
export const suspectLosses = 2;

/**
 * The channel that notifies workers of jobs that may be claimed. The payload is empty, the id of a job
 * that was cancelled, or `partsNotice`.
 */
export const jobChannel = 'tributary_job';

/** The notice that a job has parts that other workers may read. */
export const partsNotice = 'parts';

/** No retry is scheduled further ahead. */
const longestDelaySeconds = 30;

/** A job that seems due later than any delay is due now: the clock was set back. */
const isDue = sql`(
  head.available_at <= now()
  or head.available_at > now() + ${longestDelaySeconds} * interval '1 second'
)`;

export function createJobs(db: Database) {
  /** Until the transaction ends, no other one can queue a job of the partner. */
  async function holdSubmissions(partnerId: number): Promise<void> {
    await sql`
      select pg_advisory_xact_lock(hashtextextended(current_schema, ${partnerId}))
    `.execute(db);
  }

  return {
    holdSubmissions,

    /** Queues a job at the end of its partner's lane; call it in the transaction that stores its details. */
    async submit(partnerId: number, kind: JobKind): Promise<number> {
      // Held until commit, so that an id is assigned only after every lower id of the lane has
      // committed or rolled back, and no worker sees a later job before an earlier one. Not the
      // lane's row, which claims lock: steady submissions must not block them.
      await holdSubmissions(partnerId);
      const { job_id } = await db
        .insertInto('job')
        .values({ partner_id: partnerId, kind, traceparent: currentTraceparent() })
        .returning('job_id')
        .executeTakeFirstOrThrow();
      await notify(db);
      return job_id;
    },

    /** Adds a job that has already been done, for its log; call it in the transaction that did it. */
    async recordDone(partnerId: number, kind: JobKind): Promise<number> {
      await holdSubmissions(partnerId);
      const { rows } = await sql<{ jobId: number }>`
        with ended as (
          insert into job (partner_id, kind, state) values (${partnerId}, ${kind}, 'done')
          returning *
        ), ${countEnded}
        select job_id as "jobId" from ended
      `.execute(db);
      return rows[0]!.jobId;
    },

    /**
     * Claims the head of a lane that has no running job, the lane served longest ago first.
     * The head is the lane's lowest unfinished job in any state, so a running job and one that
     * waits for its retry both block the jobs after them. Lanes locked by another claim are
     * skipped. If the head was claimed between our snapshot and our lock, the update finds it no
     * longer pending, and we search again because another lane may be free. Claims nothing if the
     * schema is newer than this process.
     */
    async claim(
      leaseSeconds: number,
      { suspects, onlySmall = false }: JobChoice = {},
    ): Promise<Claim | undefined> {
      const isChosen =
        suspects === undefined ? sql`true` : sql`(head.losses >= ${suspectLosses}) = ${suspects}`;
      const mayBeSmall = onlySmall ? sql`not head.is_large` : sql`true`;
      for (;;) {
        const { rows } = await sql<Omit<Claim, 'mustBeSmall'> | { jobId: null }>`
          with free as (
            select lane.partner_id, head.job_id
            from lane
            cross join lateral (
              select job_id, state, available_at, losses, is_large
              from job
              where job.partner_id = lane.partner_id and state in ('pending', 'running')
              order by job_id
              limit 1
            ) as head
            where head.state = 'pending' and ${isDue} and ${isChosen} and ${mayBeSmall}
              and ${schemaVersion} <= ${supportedSchema}
            order by lane.turn, head.job_id
            limit 1
            for no key update of lane skip locked
          ), served as (
            update lane set turn = nextval('lane_turn') from free
            where lane.partner_id = free.partner_id
          ), taken as (
            update job
            set state = 'running', attempt = attempt + 1, updated_at = now(), started_at = now(),
              lease_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
            from free
            where job.job_id = free.job_id and job.state = 'pending'
            returning job.job_id as "jobId", job.partner_id as "partnerId", job.kind, job.attempt,
              job.traceparent
          )
          select taken.* from free left join taken on true
        `.execute(db);
        const found = rows[0];
        if (!found) return undefined;
        if (found.jobId !== null) return { ...found, mustBeSmall: onlySmall };
      }
    },

    /** Renews the lease. False if the claim was lost. */
    async heartbeat(claim: Claim, leaseSeconds: number): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update job set lease_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
        where ${isHeld(claim)}
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /**
     * Locks the claim until the transaction ends, so that only the attempt that holds the job
     * commits; throws ClaimLost to roll it back.
     */
    async lockClaim(claim: Claim): Promise<void> {
      const { rows } = await sql<{ version: number }>`
        select ${schemaVersion} as version from job where ${isHeld(claim)} for share
      `.execute(db);
      if (!rows[0]) throw new ClaimLost(claim);
      refuseNewer(rows[0].version);
    },

    /** Ends the job, in the transaction that commits its effects; throws ClaimLost to roll it back. */
    async settle(claim: Claim, state: 'done' | 'failed'): Promise<void> {
      const { rows } = await sql<{ version: number }>`
        with ended as (
          update job set state = ${state}, lease_until = null, updated_at = clock_timestamp()
          where ${isHeld(claim)}
          returning *
        ), ${countEnded}
        select ${schemaVersion} as version from ended
      `.execute(db);
      if (!rows[0]) throw new ClaimLost(claim);
      refuseNewer(rows[0].version);
    },

    /**
     * Cancels those of the jobs that have not ended. A running job can no longer commit, and its worker is
     * notified.
     */
    async cancel(jobIds: readonly number[]): Promise<void> {
      await sql`
        with ended as (
          update job set state = 'cancelled', lease_until = null, updated_at = clock_timestamp()
          where job_id in (
            select job_id from job
            where job_id = any(${jobIds}::bigint[]) and state in ('pending', 'running')
            order by job_id for no key update
          )
          returning *
        ), ${countEnded}
        select pg_notify(${jobChannel}, job_id::text) from ended
      `.execute(db);
    },

    /** What the jobs were about. `audience` is null for imports and deletions. */
    async subjects(jobIds: readonly number[]): Promise<JobSubject[]> {
      const { rows } = await sql<JobSubject>`
        select job_id as "jobId", partner_id as "partnerId",
          case when kind = 'audience'
            then json_build_object('audienceId', audience_id, 'path', path) end as audience
        from job left join audience_load using (job_id)
        where job_id = any(${jobIds}::bigint[])
        order by job_id
      `.execute(db);
      return rows;
    },

    /** Whether the claim was lost because its job was cancelled. */
    async isCancelled({ jobId }: Claim): Promise<boolean> {
      const job = await db
        .selectFrom('job')
        .select('state')
        .where('job_id', '=', jobId)
        .executeTakeFirst();
      return job?.state === 'cancelled';
    },

    /**
     * Releases the job for a retry after a delay; it stays the head of its lane. False if the claim
     * was lost or settled.
     */
    async release(claim: Claim, afterSeconds: number): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update job set state = 'pending', lease_until = null, updated_at = now(),
          available_at = now() + ${Math.min(afterSeconds, longestDelaySeconds)} * interval '1 second'
        where ${isHeld(claim)}
      `.execute(db);
      await notify(db);
      return numAffectedRows === 1n;
    },

    /** Releases a job that is too large for its claim. Only a claim for a job of any size takes it. */
    async releaseAsLarge(claim: Claim): Promise<void> {
      await sql`
        update job set state = 'pending', lease_until = null, updated_at = now(), is_large = true
        where ${isHeld(claim)}
      `.execute(db);
      await notify(db);
    },

    /** Counts a temporary failure of the partner's storage, and returns how many there were so far. */
    async countStorageFailure(claim: Claim): Promise<number> {
      const { rows } = await sql<{ failures: number }>`
        update job set storage_failures = storage_failures + 1
        where ${isHeld(claim)}
        returning storage_failures as failures
      `.execute(db);
      if (!rows[0]) throw new ClaimLost(claim);
      return rows[0].failures;
    },

    /** Ends the lease now, so that the attempt counts as lost, as if its worker had died. */
    async expireLease(claim: Claim): Promise<void> {
      await sql`update job set lease_until = now() where ${isHeld(claim)}`.execute(db);
    },

    /**
     * Shortens leases that end later than a lease renewed now, because the clock was set back. A live
     * worker renews in time.
     */
    async capLeases(leaseSeconds: number): Promise<void> {
      await capTimes(db, 'job', { lease_until: leaseSeconds }, sql`state = 'running'`);
    },

    /**
     * Takes back the jobs whose lease expired. Each becomes pending again, at the head of its lane,
     * or fails after the last permitted loss. The delay grows with each loss, so that a job that
     * kills its worker leaves the workers time for other jobs.
     */
    async reclaimExpired(maxLosses: number): Promise<LostJob[]> {
      const { rows } = await sql<LostJob>`
        with ended as (
          update job
          set losses = losses + 1, lease_until = null, updated_at = clock_timestamp(),
            state = case when losses + 1 >= ${maxLosses} then 'failed' else 'pending' end,
            available_at = now() + least(losses * losses, 10) * interval '1 second'
          where job_id in (
            select job_id from job where state = 'running' and lease_until <= now()
            order by job_id for no key update skip locked
          )
          returning *
        ), ${countEnded}
        select job_id as "jobId", kind, losses, state from ended
      `.execute(db);
      return rows;
    },

    /** Whether any lease has expired, or ends later than one renewed now. */
    async haveWrongLeases(leaseSeconds: number): Promise<boolean> {
      const { rows } = await sql`
        select from job where state = 'running' and (
          lease_until <= now() or lease_until > now() + ${leaseSeconds} * interval '1 second'
        ) limit 1
      `.execute(db);
      return rows.length > 0;
    },

    /** Whether any suspect has not ended yet. */
    async haveSuspects(): Promise<boolean> {
      const { rows } = await sql`
        select from job
        where state in ('pending', 'running') and losses >= ${sql.lit(suspectLosses)} limit 1
      `.execute(db);
      return rows.length > 0;
    },

    /** The pending and running jobs of each lane that has any. */
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

    /** Ended jobs count also after they are pruned. */
    async counts(): Promise<{ state: string; jobs: number }[]> {
      const { rows } = await sql<{ state: string; jobs: number }>`
        select state, sum(jobs)::bigint as jobs from ended_jobs group by state
        union all
        select state, count(*) from job where state in ('pending', 'running') group by state
      `.execute(db);
      return rows;
    },
  };
}

/**
 * Counts the jobs in `ended`, in total and by day, in the same transaction. The counts belong to a lane
 * and an outcome. The jobs of a lane end one at a time, so no two jobs wait for each other here.
 */
const countEnded = sql`
  counted as (
    insert into ended_jobs (partner_id, state, jobs)
    select partner_id, state, count(*) from ended where state not in ('pending', 'running')
    group by partner_id, state
    order by partner_id, state
    on conflict (partner_id, state) do update set jobs = ended_jobs.jobs + excluded.jobs
  ), dated as (
    insert into job_day (day, partner_id, state, jobs, longest_wait)
    select (now() at time zone 'UTC')::date, partner_id, state, count(*),
      coalesce(max(extract(epoch from started_at - created_at)), 0)
    from ended where state not in ('pending', 'running')
    group by partner_id, state
    order by partner_id, state
    on conflict (day, partner_id, state) do update set jobs = job_day.jobs + excluded.jobs,
      longest_wait = greatest(job_day.longest_wait, excluded.longest_wait)
  )
`;

function isHeld(claim: Claim) {
  return sql<boolean>`job_id = ${claim.jobId} and attempt = ${claim.attempt} and state = 'running'`;
}

async function notify(db: Database): Promise<void> {
  await sql`select pg_notify(${jobChannel}, '')`.execute(db);
}
