import { overlapBy } from '../overlap.ts';
import type { MaintainedWarehouse } from '../port.ts';
import { createCheckSuppressed } from './check-suppressed.ts';
import type { Cluster, ClusterAddress, ClusterRecords } from './cluster/cluster.ts';
import type { Engine, UseEngine } from './cluster/engine.ts';
import { createReplicas, type Replicas } from './cluster/replicas.ts';
import { createCompaction } from './compact.ts';
import { createCompare } from './compare.ts';
import { createCountDistinct } from './count-distinct.ts';
import { createFindSuppressed } from './find-suppressed.ts';
import { createIntersect } from './intersect.ts';
import { createLoader, type LoadingOptions } from './load/load.ts';
import { createRead } from './read-devices.ts';
import { createResolveDigests } from './resolve-digests.ts';
import { createSubtract } from './subtract-segment.ts';
import { createSweep } from './sweep.ts';
import { createRunTransfer } from './transfer-runs.ts';
import { createUniverseFold } from './universe-fold.ts';

interface EngineOptions {
  readonly records: Engine['records'];
  /** The grace period of the sweep, in seconds. */
  readonly graceSeconds: number;
  readonly devicesPerShard?: number;
  /** Runs with fewer devices in all get no profile. */
  readonly profiledFrom?: number | undefined;
  readonly loading: LoadingOptions;
}

export interface ClickhouseOptions extends EngineOptions {
  readonly address: ClusterAddress;
  readonly records: Engine['records'] & ClusterRecords;
}

/**
 * At this size an overlap took 0.4 GiB of a shard's memory and a fold 0.6 (ClickHouse 18.16). A load looks up as
 * many devices as an overlap.
 */
const defaultDevicesPerShard = 4_000_000;

/** Stores segments as rows of a ClickHouse cluster; a hash of the device selects its shard. */
export function openClickhouseWarehouse(options: ClickhouseOptions): MaintainedWarehouse {
  return warehouseOn(createReplicas(options.address, options.records), options);
}

/** The same on given servers, which it disposes of at the end. */
export function warehouseOn(replicas: Replicas, options: EngineOptions): MaintainedWarehouse {
  const { records, graceSeconds, profiledFrom } = options;
  const { devicesPerShard = defaultDevicesPerShard } = options;
  const engineOn = (cluster: Cluster): Engine => ({
    cluster,
    records,
    graceSeconds,
    devicesPerShard,
    profiledFrom,
  });
  const engine = () => engineOn(replicas.cluster());
  const use: UseEngine = (work) => replicas.use((cluster) => work(engineOn(cluster)));

  /** A verb whose work runs again on other replicas if a server fails. */
  function verb<A extends unknown[], T>(create: (engine: Engine) => (...args: A) => Promise<T>) {
    return (...args: A): Promise<T> => use((engine) => create(engine)(...args));
  }

  const loader = createLoader(engine, options.loading);
  const compare = verb(createCompare);
  const overlap = overlapBy(compare);
  return {
    beginLoad: loader.beginLoad,
    compare,
    overlap,
    intersect: (...args) => createIntersect(engine(), overlap)(...args),
    read: (...args) => createRead(engine())(...args),
    checkSuppressed: verb(createCheckSuppressed),
    findSuppressed: verb(createFindSuppressed),
    resolveDigests: verb(createResolveDigests),
    subtract: verb(createSubtract),
    countDistinct: verb(createCountDistinct),
    refreshUniverse: createUniverseFold(records, use),
    compact: verb(createCompaction),
    sweep: createSweep(replicas, records.runFiles),
    ...createRunTransfer(engine),
    checkReady: replicas.checkReady,
    replicas: replicas.states,
    async [Symbol.asyncDispose]() {
      await loader[Symbol.asyncDispose]();
      await replicas[Symbol.asyncDispose]();
    },
  };
}
