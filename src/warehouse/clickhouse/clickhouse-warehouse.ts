import { overlapBy } from '../overlap.ts';
import type { MaintainedWarehouse } from '../port.ts';
import { createCheckSuppressed } from './check-suppressed.ts';
import {
  type Cluster,
  type ClusterAddress,
  type ClusterRecords,
  createCluster,
} from './cluster/cluster.ts';
import type { Engine } from './cluster/engine.ts';
import { createCompaction } from './compact.ts';
import { createCompare } from './compare.ts';
import { createCountDistinct } from './count-distinct.ts';
import { createFindSuppressed } from './find-suppressed.ts';
import { createIntersect } from './intersect.ts';
import { beginLoad } from './load/load.ts';
import { createRead } from './read-devices.ts';
import { createResolveDigests } from './resolve-digests.ts';
import { createSubtract } from './subtract-segment.ts';
import { createSweep } from './sweep.ts';
import { createUniverseFold } from './universe-fold.ts';

interface EngineOptions {
  readonly records: Engine['records'];
  /** The grace period of the sweep, in seconds. */
  readonly graceSeconds: number;
  readonly devicesPerShard?: number;
  /** Runs with fewer devices in all get no profile. */
  readonly profiledFrom?: number | undefined;
  readonly rowsPerBlock?: number;
}

export interface ClickhouseOptions extends EngineOptions {
  readonly address: ClusterAddress;
  readonly records: Engine['records'] & ClusterRecords;
}

/** At this size an overlap took 0.4 GiB of a shard's memory, a fold 0.6 and a load 1.2 (ClickHouse 18.16). */
const defaultDevicesPerShard = 4_000_000;

/** Stores segments as rows of a ClickHouse cluster; a hash of the device selects its shard. */
export function openClickhouseWarehouse(options: ClickhouseOptions): MaintainedWarehouse {
  return warehouseOn(createCluster(options.address, options.records), options);
}

/** The same on a given cluster, which it disposes of at the end. */
export function warehouseOn(cluster: Cluster, options: EngineOptions): MaintainedWarehouse {
  const { records, graceSeconds, rowsPerBlock, profiledFrom } = options;
  const { devicesPerShard = defaultDevicesPerShard } = options;
  const engine = { cluster, records, graceSeconds, devicesPerShard, profiledFrom };
  const compare = createCompare(engine);
  const overlap = overlapBy(compare);
  return {
    beginLoad: (attempt) => beginLoad(engine, attempt, rowsPerBlock),
    compare,
    overlap,
    intersect: createIntersect(engine, overlap),
    read: createRead(engine),
    checkSuppressed: createCheckSuppressed(engine),
    findSuppressed: createFindSuppressed(engine),
    resolveDigests: createResolveDigests(engine),
    subtract: createSubtract(engine),
    countDistinct: createCountDistinct(engine),
    refreshUniverse: createUniverseFold(engine),
    compact: createCompaction(engine),
    sweep: createSweep(engine),
    checkReady: cluster.checkReady,
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
