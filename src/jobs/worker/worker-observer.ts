import type { JobKind } from '../../domain/job.ts';
import type { LostJob } from '../../records/queue/jobs.ts';

/**
 * How an attempt at a job can end: with the job's end; because it was cancelled or its lease was lost;
 * or with the job back in its lane, for a shutdown, a slot for large jobs, a retry, new runs, or a
 * dependency that is unavailable. `failed` counts as a loss.
 */
export const attemptOutcomes = [
  'ended',
  'cancelled',
  'lease_lost',
  'stopped',
  'too_large',
  'retried',
  'restarted',
  'deferred',
  'failed',
] as const;

export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** Receives what happens to jobs, for metrics. */
export interface WorkerObserver {
  attemptEnded(kind: JobKind, outcome: AttemptOutcome, seconds: number): void;
  /** A job lost its worker, which may have been another process. */
  jobLost(job: LostJob): void;
}
