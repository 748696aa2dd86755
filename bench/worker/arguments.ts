import { createSealing } from '../../src/records/database/sealing.ts';
import type { ClusterAddress } from '../../src/warehouse/clickhouse/cluster/cluster.ts';

export interface WorkerArguments {
  readonly databaseUrl: string;
  readonly schema: string;
  /** Contains the object store and the warehouse. */
  readonly folder: string;
  readonly partnerId: number;
  readonly firstJobId: number;
  /** The address of the cluster; undefined for run files. */
  readonly clickhouse?: ClusterAddress | undefined;
}

/** The benchmark encrypts nothing of value. */
export const benchSealing = createSealing(['the secret key of the bench, known to everybody']);
