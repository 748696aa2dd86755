import type { TendedWarehouse } from '../port.ts';
import {
  type Cluster,
  type ClusterAddress,
  type ClusterRecords,
  createCluster,
} from './cluster/cluster.ts';
import type { Engine } from './cluster/engine.ts';
import { createCompaction } from './compact.ts';
import { createCountDistinct } from './count-distinct.ts';
import { beginLoad } from './load/load.ts';
import { createOverlap } from './overlap.ts';
import { createSweep } from './sweep.ts';
import { createUniverseFold } from './universe-fold.ts';

interface EngineOptions {
  readonly records: Engine['records'];
  /** As long as sweeps wait until they delete. */
  readonly graceSeconds: number;
  readonly devicesPerShard?: number;
  readonly rowsPerBlock?: number;
}

export interface ClickhouseOptions extends EngineOptions {
  readonly address: ClusterAddress;
  readonly records: Engine['records'] & ClusterRecords;
}

/** With so many, an overlap took 0.4 GiB of a shard's memory, a fold 0.6 and a load 1.2, on 18.16. */
const usualDevicesPerShard = 4_000_000;

/** Segments as rows of a ClickHouse cluster, each device on the shard that its hash says. */
export function openClickhouseWarehouse(options: ClickhouseOptions): TendedWarehouse {
  return warehouseOn(createCluster(options.address, options.records), options);
}

/** The same on shards that are found already. They are disposed of with it. */
export function warehouseOn(cluster: Cluster, options: EngineOptions): TendedWarehouse {
  const { records, graceSeconds, rowsPerBlock, devicesPerShard = usualDevicesPerShard } = options;
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
