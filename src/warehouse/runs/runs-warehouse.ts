import { type DiskReserve, noReserve } from '../../domain/disk-reserve.ts';
import type { Trash } from '../../domain/trash.ts';
import type { MaintainedWarehouse } from '../port.ts';
import { openRunsFolder } from './file/runs-folder.ts';
import { createLoader } from './load/loader.ts';
import { createSetVerbs, type RunsRecords } from './set-verbs.ts';

export interface RunsWarehouseOptions {
  /** Holds the run files; created if missing. */
  readonly directory: string;
  readonly records: RunsRecords;
  readonly threads: number;
  /** Memory budget shared by all loads; beyond it they spill to disk. */
  readonly memoryBytes: number;
  readonly reserve?: DiskReserve;
  /** Gets the run files that the records do not know. */
  readonly trash: Trash;
  /** How many jobs load at the same time. */
  readonly lanes: number;
  /** Runs with fewer devices in all get no profile. */
  readonly profiledFrom?: number | undefined;
  /** How many jobs with small loads may run beside them. */
  readonly smallLanes?: number;
}

/** An audience job can have a load for small files and one for a large file at the same time. */
const loadsPerLane = 2;

/** The embedded engine, which stores segments as sorted runs in Parquet files. */
export async function openRunsWarehouse(
  options: RunsWarehouseOptions,
): Promise<MaintainedWarehouse> {
  const { directory, records, threads, memoryBytes, reserve = noReserve, trash } = options;
  // One more, for a load that belongs to no job.
  const maxLoads = loadsPerLane * options.lanes + 1;
  const maxSmallLoads = loadsPerLane * (options.smallLanes ?? 0);
  const folder = await openRunsFolder(directory);
  const { manifest, runFiles } = records;
  const loader = createLoader({
    directory,
    manifest,
    runFiles,
    threads,
    memoryBytes,
    maxLoads,
    maxSmallLoads,
    reserve,
  });
  const verbs = createSetVerbs({
    directory,
    records,
    threads,
    reserve,
    trash,
    profiledFrom: options.profiledFrom,
  });
  return {
    ...verbs,
    beginLoad: loader.beginLoad,
    findSuppressed: loader.findSuppressed,
    checkReady: folder.checkReady,
    async [Symbol.asyncDispose]() {
      await Promise.all([loader[Symbol.asyncDispose](), verbs[Symbol.asyncDispose]()]);
    },
  };
}
