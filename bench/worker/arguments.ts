import { createSealing } from '../../src/records/database/sealing.ts';
import type { ClusterAddress } from '../../src/warehouse/clickhouse/cluster/cluster.ts';

export interface WorkerArguments {
  readonly databaseUrl: string;
  readonly schema: string;
  /** Holds the object store and the warehouse. */
  readonly folder: string;
  readonly partnerId: number;
  readonly firstJobId: number;
  /** Where the warehouse is, if not in files. */
  readonly clickhouse?: ClusterAddress | undefined;
}

/** Nothing is sealed here that anybody could want. */
export const benchSealing = createSealing(['the secret key of the bench, known to everybody']);
