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
  readonly devicesPerShard?: number;
  readonly rowsPerBlock?: number;
}

/** With so many, an overlap took 0.4 GiB of a shard's memory, a fold 0.6 and a load 1.2, on 18.16. */
const usualDevicesPerShard = 4_000_000;

/** Segments as rows of a ClickHouse cluster, each device on the shard that its hash says. */
export function openClickhouseWarehouse(options: ClickhouseOptions): TendedWarehouse {
  const { address, records, graceSeconds, rowsPerBlock } = options;
  const { devicesPerShard = usualDevicesPerShard } = options;
  const cluster = createCluster(address, records);
  const engine = { cluster, records, graceSeconds, devicesPerShard };
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
