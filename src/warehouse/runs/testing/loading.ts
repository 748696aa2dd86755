import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DiskReserve, noReserve } from '../../../domain/disk-reserve.ts';
import type { ManifestChange, Run } from '../../../records/warehouse/manifest.ts';
import { createThreadPool } from '../../../threads/thread-pool.ts';
import type { Load } from '../../port.ts';
import { createDigestTables } from '../digests/digest-tables.ts';
import { createRunOpener } from '../file/run-opener.ts';
import { beginLoad, type LoadDependencies } from '../load/load.ts';
import { createBlockArena } from '../load/memory/block-arena.ts';
import { createLoadTasks, type LoadTasks } from '../load/tasks/load-tasks.ts';
import { createInlinePool } from './inline-pool.ts';
import { readRun } from './read-run.ts';

export interface LoadingOptions {
  readonly threads: number;
  readonly memoryBytes: number;
  /** Runs tasks in this thread, so that coverage includes them and no thread has to start. */
  readonly inline: boolean;
  readonly directory?: string;
  readonly reserve?: DiskReserve;
}

/** Loads over a manifest in memory. */
export async function openLoading(options: LoadingOptions) {
  const own = options.directory ?? (await mkdtemp(join(tmpdir(), 'tributary-load-')));
  const pool = options.inline
    ? createInlinePool(options.threads, createLoadTasks)
    : createThreadPool<LoadTasks>(
        new URL('../load/tasks/load-thread.ts', import.meta.url),
        options.threads,
      );
  const runs: Run[] = [];
  const registered: string[] = [];
  const arena = createBlockArena({ ...options, maxLoads: 8, maxSmallLoads: 0 });
  let ids = 0;
  let runIds = 0;
  const deps: LoadDependencies = {
    directory: own,
    manifest: {
      runsOf: async (ids) => runs.filter(({ segmentId }) => ids.includes(segmentId)),
    },
    runFiles: {
      register: async ({ file }) => {
        registered.push(file);
        return true;
      },
    },
    threads: { pool, nextId: () => ids++ },
    smallPool: pool,
    arena,
    opener: createRunOpener(own, (input) => pool.run('readIndexes', input)),
    digestTables: createDigestTables((input) => pool.run('fillDigestTable', input)),
    nameFile: ({ jobId, attempt }) => `job-${jobId}-${attempt}.parquet`,
    reserve: options.reserve ?? noReserve,
    maxPartWords: options.memoryBytes / 128,
  };

  return {
    directory: own,
    deps,
    arena,
    runs,
    registered,
    /** Begins a load. `onTask` is called before each task of its threads. */
    begin(jobId: number, onTask?: (name: keyof LoadTasks, input: unknown) => void): Load {
      const run: typeof pool.run = (name, input, options) => {
        onTask?.(name, input);
        return pool.run(name, input, options);
      };
      const threads = { ...deps.threads, pool: { ...pool, run } };
      const smallPool = threads.pool;
      return beginLoad({ ...deps, threads, smallPool }, { jobId, attempt: 1 });
    },
    commit({ add, drop }: ManifestChange): void {
      for (const { runId } of drop) {
        const at = runs.findIndex((run) => run.runId === runId);
        if (at < 0) throw new Error(`run ${runId} does not exist`);
        runs.splice(at, 1);
      }
      for (const run of add) runs.push({ ...run, runId: ++runIds });
    },
    /** The devices of a segment; throws unless its runs are sorted, disjoint and counted correctly. */
    contentsOf(segmentId: number): string[] {
      const all: string[] = [];
      for (const run of runs.filter((run) => run.segmentId === segmentId)) {
        const devices = readRun(own, run);
        if (devices.length !== run.devices) throw new Error('a run has a wrong count');
        if (devices.some((device, i) => i > 0 && device <= devices[i - 1]!)) {
          throw new Error('a run is not sorted');
        }
        for (const device of devices) all.push(device);
      }
      if (new Set(all).size !== all.length) throw new Error('runs are not disjoint');
      return all.sort();
    },
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      if (!options.directory) await rm(own, { recursive: true, force: true });
    },
  };
}

export type Loading = Awaited<ReturnType<typeof openLoading>>;
