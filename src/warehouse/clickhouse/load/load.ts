import type { DiskReserve } from '../../../domain/disk-reserve.ts';
import type { Load, LoadAttempt } from '../../port.ts';
import { type GatheredRows, gatherRows } from '../../runs/load/gather-rows.ts';
import { createLoadMemory, loadLimits } from '../../runs/load/load-memory.ts';
import { createLoaderThreads } from '../../runs/load/loader-threads.ts';
import type { Engine } from '../cluster/engine.ts';
import { stageRows } from './stage.ts';
import type { ShardTasks } from './tasks/shard-tasks.ts';

/** The threads, memory and disk space of loads. */
export interface LoadingOptions {
  /** Gets the spill files of loads that exceed the memory. */
  readonly directory: string;
  readonly reserve: DiskReserve;
  readonly threads: number;
  /** Memory budget shared by all loads; beyond it they spill to disk. */
  readonly memoryBytes: number;
  /** How many jobs load at the same time. */
  readonly lanes: number;
  /** How many jobs with small loads may run beside them. */
  readonly smallLanes?: number;
}

interface Loader extends AsyncDisposable {
  beginLoad(attempt: LoadAttempt): Load;
}

const programs = {
  large: new URL('./tasks/shard-thread.ts', import.meta.url),
  small: new URL('./tasks/small-shard-thread.ts', import.meta.url),
};

/** Loads that are sorted here, as those of run files are, and whose runs go to the shards. */
export function createLoader(engineOf: () => Engine, options: LoadingOptions): Loader {
  const { directory, reserve, lanes, smallLanes = 0 } = options;
  const limits = loadLimits(lanes, smallLanes);
  const { maxPartWords, arena } = createLoadMemory({ ...options, ...limits });
  const threads = createLoaderThreads<ShardTasks>(options.threads, programs);

  function threadsFor({ isSmall }: GatheredRows) {
    return isSmall ? { ...threads, pool: threads.smallPool } : threads;
  }

  return {
    beginLoad(owner) {
      const { mustBeSmall = false } = owner;
      const gathering = gatherRows({ directory, reserve, threads, arena: arena(), mustBeSmall });
      return {
        add: gathering.add,
        async stage(meaning, signal) {
          signal.throwIfAborted();
          const shared = { threadsFor, maxPartWords };
          // Rows are on the servers that the engine chooses. If one fails, the job starts over.
          const engine = engineOf();
          return await gathering.finish((gathered) =>
            stageRows(engine, { ...gathered, ...shared, owner, meaning, signal }),
          );
        },
        [Symbol.asyncDispose]: () => gathering[Symbol.asyncDispose](),
      };
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}
