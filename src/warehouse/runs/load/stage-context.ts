import type { LoadMeaning } from '../../port.ts';
import type { LoadRoom } from './memory/load-room.ts';
import type { LoadThreads } from './row-scatter.ts';
import type { StagedFile } from './staged-file.ts';

/** Everything that the steps of staging a load share. */
export interface StageContext {
  readonly threads: LoadThreads;
  readonly room: LoadRoom;
  readonly file: StagedFile;
  readonly meaning: LoadMeaning;
  readonly signal: AbortSignal;
}
