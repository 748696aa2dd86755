import { type RawBuilder, sql } from 'kysely';
import { atomically, type Database } from '../database/connection.ts';
import { schemaVersion, supportedSchema } from '../database/schema-version.ts';
import { listenerLength, listenerPrefix } from './job-notices.ts';
import { type Claim, ClaimLost, createJobs, jobChannel, partsNotice } from './jobs.ts';

/** A part of a job's input, as the worker that has the job describes it. */
interface NewPart<I> {
  readonly position: number;
  readonly input: I;
}

/** Parts of one job that another worker took. */
export interface TakenParts {
  /** The id of this turn. A part can be finished only in the turn that took it. */
  readonly reader: string;
  readonly job: Claim;
  readonly keys: string;
  readonly parts: readonly NewPart<unknown>[];
}

/** What became of a part that its owner needs now. */
export type PartFound =
  /** The owner has it now and reads it itself. */
  | { readonly is: 'taken' }
  /** Another worker reads it. */
  | { readonly is: 'read' }
  | { readonly is: 'stored'; readonly stored: unknown };

/** An attempt at a job. */
interface Attempt {
  readonly jobId: number;
  readonly attempt: number;
}

/** No lease is longer. A later end means that the clock was set back. */
const longestLeaseSeconds = 60;
const partsPerInsert = 1_000;

const isExpired = sql`(
  job_part.lease_until <= clock_timestamp()
  or job_part.lease_until > clock_timestamp() + ${sql.lit(longestLeaseSeconds)} * interval '1 second'
)`;
const isFree = sql`(job_part.state = 'free' or job_part.state = 'taken' and ${isExpired})`;
/** The attempt that published the part still has the job. */
const isCurrent = sql`
  job.job_id = job_part.job_id and job.attempt = job_part.attempt and job.state = 'running'
`;

function isHeldBy(jobId: number, reader: string) {
  return sql`job_id = ${jobId} and reader = ${reader} and state = 'taken'`;
}

/** Locks the parts in their order, so that two statements do not wait for each other. */
function inOrder(condition: RawBuilder<unknown>) {
  return sql`(job_id, attempt, position) in (
    select job_id, attempt, position from job_part where ${condition}
    order by job_id, attempt, position for update
  )`;
}

export type JobParts = ReturnType<typeof createJobParts>;

/** Parts of large jobs, which several workers read. Only the worker that has the job commits. */
export function createJobParts(db: Database) {
  const ownedBy = ({ jobId, attempt }: Attempt) =>
    sql`job_part.job_id = ${jobId} and job_part.attempt = ${attempt}`;

  async function clear({ jobId, attempt }: Attempt): Promise<void> {
    await sql`
      delete from job_part where ${inOrder(sql`job_id = ${jobId} and attempt <= ${attempt}`)}
    `.execute(db);
  }

  return {
    /** Whether any other worker could read parts. Each worker listens on one connection. */
    async haveOtherWorkers(): Promise<boolean> {
      const { rows } = await sql<{ workers: number }>`
        select count(*) as workers from pg_stat_activity
        where datname = current_database()
          and application_name = left(${listenerPrefix} || current_schema, ${listenerLength})
      `.execute(db);
      return rows[0]!.workers > 1;
    },

    /** Replaces the parts of the job. Throws ClaimLost. */
    async publish(claim: Claim, keys: string, inputs: readonly unknown[]): Promise<void> {
      await clear(claim);
      for (let start = 0; start < inputs.length; start += partsPerInsert) {
        const batch = inputs.slice(start, start + partsPerInsert).map((one) => JSON.stringify(one));
        await atomically(db, async (tx) => {
          await createJobs(tx).lockClaim(claim);
          await sql`
            insert into job_part (job_id, attempt, position, input, keys)
            select ${claim.jobId}::bigint, ${claim.attempt}::integer,
              ${start}::integer + position - 1, input::json, ${keys}
            from unnest(${batch}::text[]) with ordinality as given (input, position)
          `.execute(tx);
        });
      }
    },

    /** Notifies other workers of parts. */
    async announce(): Promise<void> {
      await sql`select pg_notify(${jobChannel}, ${partsNotice})`.execute(db);
    },

    /** Deletes the parts of this attempt and of earlier ones. Workers that read them stop. */
    clear,

    /** Takes the first free parts for the owner, which has them as long as it has the job. */
    async takeFirst(owner: Attempt, count: number): Promise<number[]> {
      const { rows } = await sql<{ position: number }>`
        with free as materialized (
          select position from job_part
          where ${ownedBy(owner)} and state = 'free'
          order by position limit ${count} for update skip locked
        )
        update job_part set state = 'taken', reader = null, lease_until = null
        from free
        where ${ownedBy(owner)} and job_part.position = free.position
        returning job_part.position
      `.execute(db);
      return rows.map(({ position }) => position).sort((a, b) => a - b);
    },

    /**
     * Takes the part for the owner, unless another worker has stored it or still reads it. The owner may
     * have it already, if it did not get the answer. Throws ClaimLost.
     */
    async takeOrFind(owner: Claim, position: number): Promise<PartFound> {
      const isThis = sql`${ownedBy(owner)} and position = ${position}`;
      const { numAffectedRows } = await sql`
        update job_part set state = 'taken', reader = null, lease_until = null
        where ${isThis} and (${isFree} or state = 'taken' and reader is null)
      `.execute(db);
      if (numAffectedRows === 1n) return { is: 'taken' };
      const { rows } = await sql<{ state: string; stored: unknown }>`
        select state, stored from job_part where ${isThis}
      `.execute(db);
      // The next attempt replaces the parts.
      if (!rows[0]) throw new ClaimLost(owner);
      return rows[0].state === 'done' ? { is: 'stored', stored: rows[0].stored } : { is: 'read' };
    },

    /** Takes parts back from any worker: their stored rows are gone, or they are no longer needed. */
    async takeAgain(owner: Attempt, positions: readonly number[]): Promise<void> {
      const isGiven = sql`${ownedBy(owner)} and position = any(${positions}::integer[])`;
      await sql`
        update job_part set state = 'taken', reader = null, lease_until = null
        where ${inOrder(isGiven)}
      `.execute(db);
    },

    /**
     * Takes up to `count` parts of a job that another worker has: the last ones, because the owner
     * begins with the first. Undefined if there are none. Takes nothing if the schema is newer than
     * this process.
     */
    async takeLast(
      reader: string,
      count: number,
      { leaseSeconds, ownJobs }: { leaseSeconds: number; ownJobs: readonly number[] },
    ): Promise<TakenParts | undefined> {
      const { rows } = await sql<
        Omit<Claim, 'mustBeSmall'> & { keys: string; position: number; input: unknown }
      >`
        with shared as (
          select job_part.job_id, job_part.attempt from job_part join job on ${isCurrent}
          where ${isFree} and not for_owner and job.job_id <> all(${ownJobs}::bigint[])
            and ${schemaVersion} <= ${supportedSchema}
          order by job_part.job_id
          limit 1
        ), free as (
          select job_id, attempt, position from job_part join shared using (job_id, attempt)
          where ${isFree} and not for_owner
          order by position desc
          limit ${count}
          for update of job_part skip locked
        )
        update job_part
        set state = 'taken', reader = ${reader},
          lease_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
        from free join job using (job_id)
        where job_part.job_id = free.job_id and job_part.attempt = free.attempt
          and job_part.position = free.position
        returning job.job_id as "jobId", job.partner_id as "partnerId", job.kind, job.traceparent,
          job_part.attempt, job_part.keys, job_part.position, job_part.input
      `.execute(db);
      const [first] = rows;
      if (!first) return undefined;
      const { jobId, partnerId, kind, attempt, traceparent, keys } = first;
      const job = { jobId, partnerId, kind, attempt, traceparent, mustBeSmall: false };
      const parts = rows
        .map(({ position, input }) => ({ position, input }))
        .sort((a, b) => a.position - b.position);
      return { reader, job, keys, parts };
    },

    /** Renews the leases of a turn. False if the job ended, or has another attempt or other parts. */
    async renew({ reader, job: { jobId } }: TakenParts, leaseSeconds: number): Promise<boolean> {
      const { rows } = await sql<{ isCurrent: boolean }>`
        with renewed as (
          update job_part set lease_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
          where ${inOrder(isHeldBy(jobId, reader))}
        )
        select exists (
          select from job_part join job on ${isCurrent}
          where job_part.job_id = ${jobId} and reader = ${reader}
        ) as "isCurrent"
      `.execute(db);
      return rows[0]!.isCurrent;
    },

    /** Records where the rows of a part are. False if this turn no longer has the part. */
    async finish(
      { reader, job: { jobId } }: TakenParts,
      position: number,
      stored: unknown,
    ): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update job_part set state = 'done', lease_until = null, stored = ${JSON.stringify(stored)}
        from job
        where ${isCurrent} and job_part.job_id = ${jobId} and position = ${position}
          and reader = ${reader} and job_part.state = 'taken'
      `.execute(db);
      return numAffectedRows === 1n;
    },

    /** Leaves the parts that this turn did not finish to the owner. */
    async leaveToOwner({ reader, job: { jobId } }: TakenParts): Promise<void> {
      await sql`
        update job_part set state = 'free', reader = null, lease_until = null, for_owner = true
        where ${inOrder(isHeldBy(jobId, reader))}
      `.execute(db);
    },

    /** Deletes the parts of attempts that have ended. */
    async prune(): Promise<number> {
      const ended = sql`not exists (select from job where ${isCurrent})`;
      const { numAffectedRows = 0n } = await sql`
        delete from job_part where ${inOrder(ended)}
      `.execute(db);
      return Number(numAffectedRows);
    },

    /** Those of the attempts that still have their job. */
    async current(attempts: readonly Attempt[]): Promise<Attempt[]> {
      const { rows } = await sql<Attempt>`
        select job_id as "jobId", attempt from job
        join unnest(
          ${attempts.map(({ jobId }) => jobId)}::bigint[],
          ${attempts.map(({ attempt }) => attempt)}::integer[]
        ) as given (job_id, attempt) using (job_id, attempt)
        where state = 'running'
      `.execute(db);
      return rows;
    },
  };
}
