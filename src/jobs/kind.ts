import type { ImportProblem } from '../domain/import-problems.ts';
import type { Claim } from '../records/jobs.ts';
import type { Records } from '../records/records.ts';

/** How one kind of job is done. */
export interface JobKindHandler {
  /**
   * Does the job and settles it, effects and record in one transaction under the claim's fence.
   * What it throws is a surprise: the attempt is then given back or counted as lost.
   */
  run(claim: Claim, signal: AbortSignal): Promise<void>;
  /** Writes down that the job failed for good without ending by itself, in the given transaction. */
  giveUp(records: Records, jobId: number, problem: ImportProblem): Promise<void>;
}
