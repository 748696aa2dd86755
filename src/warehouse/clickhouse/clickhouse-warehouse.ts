import type { Records } from '../../records/records.ts';
import type { TendedWarehouse } from '../port.ts';
import { type ClusterAddress, type ClusterRecords, createCluster } from './cluster.ts';
import { createCompaction } from './compact.ts';
import { createCountDistinct } from './count-distinct.ts';
import { beginLoad } from './load/load.ts';
import { createOverlap } from './overlap.ts';
import { createSweep } from './sweep.ts';
import { createUniverseFold } from './universe-fold.ts';

export interface ClickhouseOptions {
  readonly address: ClusterAddress;
  readonly records: ClusterRecords &
    Pick<Records, 'manifest' | 'runFiles' | 'universe' | 'inTransaction'>;
  /** As long as sweeps wait until they delete. */
  readonly graceSeconds: number;
  readonly devicesPerPass?: number;
  readonly rowsPerBlock?: number;
}

/** Small enough for the memory that a server gives a query unless told otherwise. */
const usualDevicesPerPass = 8_000_000;

/** Segments as rows of a ClickHouse cluster, each device on the shard that its hash says. */
export function openClickhouseWarehouse(options: ClickhouseOptions): TendedWarehouse {
  const { address, records, graceSeconds, rowsPerBlock } = options;
  const { devicesPerPass = usualDevicesPerPass } = options;
  const cluster = createCluster(address, records);
  const engine = { cluster, records, graceSeconds, devicesPerPass };
  return {
    beginLoad: (attempt) => beginLoad(engine, attempt, rowsPerBlock),
    overlap: createOverlap(engine),
    countDistinct: createCountDistinct(engine),
    refreshUniverse: createUniverseFold(engine),
    compact: createCompaction(engine),
    sweep: createSweep(engine),
    checkReady: cluster.checkReady,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
