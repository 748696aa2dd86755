import { type DiskReserve, noReserve } from '../../domain/disk-reserve.ts';
import type { Trash } from '../../domain/trash.ts';
import type { MaintainedWarehouse } from '../port.ts';
import { openRunsFolder } from './file/runs-folder.ts';
import { loadLimits } from './load/load-memory.ts';
import { createLoader } from './load/loader.ts';
import { createRunsThreads, type RunsThreads } from './runs-threads.ts';
import { createSetVerbs, type RunsRecords } from './set-verbs.ts';

export interface RunsWarehouseOptions {
  /** Holds the run files; created if missing. */
  readonly directory: string;
  readonly records: RunsRecords;
  /** The number of threads, or shared threads, which stay when the warehouse is disposed. */
  readonly threads: number | RunsThreads;
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

/** The embedded engine, which stores segments as sorted runs in Parquet files. */
export async function openRunsWarehouse(
  options: RunsWarehouseOptions,
): Promise<MaintainedWarehouse> {
  const { directory, records, memoryBytes, reserve = noReserve, trash } = options;
  const folder = await openRunsFolder(directory);
  const { manifest, runFiles } = records;
  const isShared = typeof options.threads !== 'number';
  const threads = isShared ? options.threads : createRunsThreads(options.threads);
  const loader = createLoader({
    directory,
    manifest,
    runFiles,
    threads: threads.load,
    memoryBytes,
    ...loadLimits(options.lanes, options.smallLanes ?? 0),
    reserve,
  });
  const verbs = createSetVerbs({
    directory,
    records,
    pool: threads.sets,
    reserve,
    trash,
    profiledFrom: options.profiledFrom,
  });
  return {
    ...verbs,
    beginLoad: loader.beginLoad,
    findSuppressed: loader.findSuppressed,
    checkReady: folder.checkReady,
    replicas: async () => [],
    async [Symbol.asyncDispose]() {
      if (!isShared) await threads[Symbol.asyncDispose]();
    },
  };
}
