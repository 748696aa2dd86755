import { createSealing } from '../../src/records/database/sealing.ts';
import type { ClusterAddress } from '../../src/warehouse/clickhouse/cluster/cluster.ts';

export interface WorkerArguments {
  readonly databaseUrl: string;
  readonly schema: string;
  /** Contains the object store and the warehouse. */
  readonly folder: string;
  readonly partnerId: number;
  readonly firstJobId: number;
  /** Undefined for run files. */
  readonly clickhouse?: BenchCluster | undefined;
}

/** The address of a cluster; or the current ClickHouse, which is a library in the worker. */
export type BenchCluster = ClusterAddress | 'chdb';

/** The benchmark encrypts nothing of value. */
export const benchSealing = createSealing(['the secret key of the bench, known to everybody']);
