import type { SpaceCheck } from '../../../domain/disk-reserve.ts';
import type { LoadMeaning } from '../../port.ts';
import type { ScratchSpace } from './memory/scratch-space.ts';
import type { LoadThreads } from './parallel-scatter.ts';
import type { StagedFile } from './staged-file.ts';

/** Shared by all steps of staging a load. */
export interface StageContext {
  readonly threads: LoadThreads;
  readonly scratch: ScratchSpace;
  readonly file: StagedFile;
  readonly meaning: LoadMeaning;
  readonly signal: AbortSignal;
  readonly checkSpace: SpaceCheck;
}
