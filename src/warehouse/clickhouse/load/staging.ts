import type { Run } from '../../../records/warehouse/manifest.ts';
import type { LoadAttempt, LoadMeaning } from '../../port.ts';

export interface Staging {
  readonly owner: LoadAttempt;
  /** Under which the rows were loaded. */
  readonly batch: number;
  readonly rows: number;
  readonly meaning: LoadMeaning;
  readonly signal: AbortSignal;
}

/** A run of the manifest, and the number by which rows of the load name its segment. */
export interface NumberedRun {
  readonly run: Run;
  readonly list: number;
}

/** The rows of each segment are a list, by its number; those of all rows come after them. */
export function listOfEveryRow({ segmentIds }: LoadMeaning): number {
  return segmentIds.length;
}
