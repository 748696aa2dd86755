import {
  ManifestConflict,
  messageOf,
  StatementCancelled,
  TributaryError,
} from '../../domain/errors.ts';
import type { FailureCode, ImportProblem } from '../../domain/import-problems.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';
import { SuppressionChanged } from '../../records/warehouse/suppression.ts';
import { LoadTooLarge, RunsRemoved } from '../../warehouse/port.ts';

/** Thrown by a job that must be retried later. It stays the head of its lane. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly afterSeconds: number;

  constructor(afterSeconds: number, cause: unknown) {
    super(messageOf(cause), { cause });
    this.afterSeconds = afterSeconds;
  }
}

/** Thrown by a job that must be small and is not. It runs again when there is room for it. */
export class JobTooLarge extends Error {
  override readonly name = 'JobTooLarge';
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof JobTooLarge || error instanceof LoadTooLarge;
}

/** Whether a dependency such as the database was unavailable. A cancelled statement is a failure. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof StatementCancelled) return false;
  return error instanceof TributaryError && error.code === 'unavailable';
}

/**
 * Whether maintenance replaced runs that a job used, or devices that it staged were suppressed. Its next
 * attempt starts from the new runs, and without these devices.
 */
export function mustStartOver(error: unknown): boolean {
  return (
    error instanceof ManifestConflict ||
    error instanceof RunsRemoved ||
    error instanceof SuppressionChanged
  );
}

/** How a job ended, for the log. */
export interface JobEnd {
  /** `failed` also if only some files of an audience failed. */
  readonly outcome: 'done' | 'failed';
  /** Rows read by an import, loaded into an audience, or deleted. */
  readonly rows: number;
  readonly errorCode: FailureCode | undefined;
}

/** Runs jobs of one kind. */
export interface JobHandler {
  /**
   * Runs the job and settles it. One transaction, fenced by the claim, writes effects and records.
   * `RetryLater`, `JobTooLarge`, `unavailable` errors, and errors after which it must start over,
   * release the claim. Any other error counts as a loss.
   */
  run(claim: Claim, signal: AbortSignal): Promise<JobEnd>;
  /** Records, in the given transaction, that the job failed because its worker was lost too often. */
  giveUp(records: Records, jobId: number, problem: ImportProblem): Promise<void>;
}
