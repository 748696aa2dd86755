import { createSealing } from '../../src/records/sealing.ts';

export interface WorkerArguments {
  readonly databaseUrl: string;
  readonly schema: string;
  /** Holds the object store and the warehouse. */
  readonly folder: string;
  readonly partnerId: number;
  readonly firstJobId: number;
}

/** Nothing is sealed here that anybody could want. */
export const benchSealing = createSealing(['the secret key of the bench, known to everybody']);
