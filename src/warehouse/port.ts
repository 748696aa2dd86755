import type { StagedRun } from '../records/manifest.ts';

/**
 * The warehouse holds segments: sets of devices. It knows nothing of partners, files or HTTP.
 * What it writes is visible only once its runs stand in the manifest, which the caller sees to
 * in the same transaction that settles the job.
 */
export interface Warehouse {
  /** Begins collecting what one attempt at a job adds. */
  beginLoad(attempt: LoadAttempt): Load;
  /** Throws, in words for an operator, if the warehouse cannot be written to. */
  checkReady(): Promise<void>;
}

export interface LoadAttempt {
  readonly jobId: number;
  readonly attempt: number;
}

export interface Load {
  /** Adds a device (16 bytes, copied) to each of the segments, and to the count of devices seen. */
  add(device: Uint8Array, segmentIds: readonly number[]): void;
  /**
   * Writes what is new, per segment, as durable runs: sorted, deduplicated, and disjoint from the
   * runs that the manifest holds now. Called once. If it throws it leaves nothing behind; once it
   * has returned, the file is left alone even if the commit fails, for a commit whose answer was
   * lost may have happened all the same.
   */
  stage(signal: AbortSignal): Promise<StagedLoad>;
}

export interface StagedLoad {
  /** Distinct devices over all segments, those already there included. */
  readonly uniqueDevices: number;
  readonly runs: readonly StagedRun[];
}
