import type { SpaceCheck } from '../../../domain/disk-reserve.ts';
import type { LoadMeaning } from '../../port.ts';
import type { ScratchSpace } from './memory/scratch-space.ts';
import type { LoadThreads } from './parallel-scatter.ts';
import type { StagedFile } from './staged-file.ts';

/** What sorting the rows of a load needs. */
export interface SortContext {
  readonly threads: LoadThreads;
  readonly scratch: ScratchSpace;
  /** Null if the lists of the sorted rows are all that is wanted. */
  readonly file: StagedFile | null;
  readonly signal: AbortSignal;
  readonly checkSpace: SpaceCheck;
}

/** Shared by all steps of staging a load as a run file. */
export interface StageContext extends SortContext {
  readonly file: StagedFile;
  readonly meaning: LoadMeaning;
}
