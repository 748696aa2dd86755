import type { LoadMeaning } from '../../port.ts';
import type { LoadRoom } from './memory/scratch-space.ts';
import type { LoadThreads } from './parallel-scatter.ts';
import type { StagedFile } from './staged-file.ts';

/** Everything that the steps of staging a load share. */
export interface StageContext {
  readonly threads: LoadThreads;
  readonly room: LoadRoom;
  readonly file: StagedFile;
  readonly meaning: LoadMeaning;
  readonly signal: AbortSignal;
}
