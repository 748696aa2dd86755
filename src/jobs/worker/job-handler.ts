import { messageOf, TributaryError } from '../../domain/errors.ts';
import type { ImportProblem } from '../../domain/import-problems.ts';
import type { Claim } from '../../records/queue/jobs.ts';
import type { Records } from '../../records/records.ts';

/** Thrown by a job that cannot go on now: it stays the head of its lane and is tried again later. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly afterSeconds: number;

  constructor(afterSeconds: number, cause: unknown) {
    super(messageOf(cause), { cause });
    this.afterSeconds = afterSeconds;
  }
}

/** Whether something that jobs wait for was away. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof TributaryError && error.code === 'unavailable';
}

/** How one kind of job is done. */
export interface JobHandler {
  /**
   * Does the job and settles it, effects and record in one transaction under the claim's fence.
   * Anything else it throws but RetryLater is a surprise: the attempt is then counted as lost,
   * or given back if only something was unavailable.
   */
  run(claim: Claim, signal: AbortSignal): Promise<void>;
  /** Writes down that the job failed for good without ending by itself, in the given transaction. */
  giveUp(records: Records, jobId: number, problem: ImportProblem): Promise<void>;
}
