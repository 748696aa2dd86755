import type { Run } from '../../../records/warehouse/manifest.ts';
import type { LoadAttempt, LoadMeaning } from '../../port.ts';

export interface StagingInput {
  readonly owner: LoadAttempt;
  /** The batch that the rows were loaded under. */
  readonly batch: number;
  readonly rows: number;
  readonly meaning: LoadMeaning;
  /** How many loaded devices are suppressed. They have rows that say so. */
  readonly leftOut: number;
  readonly signal: AbortSignal;
}

/** A run of the manifest, and the number that the load's rows use for its segment. */
export interface NumberedRun {
  readonly run: Run;
  readonly list: number;
}

/** The rows of each segment form a list with its number. The list of all rows comes after them. */
export function listOfEveryRow({ segmentIds }: LoadMeaning): number {
  return segmentIds.length;
}
