import { once } from 'node:events';
import { sql } from 'kysely';
import type { JobHandler } from '../../src/jobs/worker/job-handler.ts';
import type { Database } from '../../src/records/database/connection.ts';
import { type Claim, createJobs } from '../../src/records/queue/jobs.ts';

export interface MarkingSteps {
  /** What a job does between its start and its commit. */
  readonly work?: (claim: Claim, signal: AbortSignal) => unknown;
  /** Called before the last statement of its commit. */
  readonly beforeSettling?: (claim: Claim) => unknown;
}

/** The table in which committed jobs record their mark, in the order of their commits. */
export async function makeMarks(db: Database): Promise<void> {
  await sql`
    create table mark (
      mark_id bigint generated always as identity primary key,
      job_id bigint not null
    )
  `.execute(db);
}

/** A job whose only effect is one mark. Its work ends when its signal is aborted. */
export function markingKind(db: Database, steps: MarkingSteps): JobHandler {
  return {
    async run(claim, signal) {
      await Promise.race([steps.work?.(claim, signal), stopped(signal)]);
      await commitMark(db, claim, steps);
      return { outcome: 'done', rows: 0, errorCode: undefined };
    },
    async giveUp(tx, jobId, problem) {
      await tx.importLogs.settle(jobId, { uniqueDevices: 0, totalRows: 0, problems: [problem] });
    },
  };
}

/** The mark is written first, so only the fence can prevent the mark of a lost attempt. */
export async function commitMark(
  db: Database,
  claim: Claim,
  { beforeSettling }: Pick<MarkingSteps, 'beforeSettling'> = {},
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`insert into mark (job_id) values (${claim.jobId})`.execute(tx);
    await beforeSettling?.(claim);
    await createJobs(tx).settle(claim, 'done');
  });
}

async function stopped(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
