import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { codeOf, messageOf } from '../../../domain/errors.ts';
import type { Run } from '../../../records/warehouse/manifest.ts';
import type { Tasks } from '../../../threads/serve-tasks.ts';
import type { ThreadPool } from '../../../threads/thread-pool.ts';
import { RunsMissing, RunsRemoved } from '../../port.ts';
import { retry } from '../../retry.ts';
import { missingFileError } from './damage-error.ts';
import { createIndexCache } from './index-cache.ts';
import { type IndexesToRead, indexesToRead, type PackedIndexes } from './packed-indexes.ts';
import { bytesPerPage, type PageIndex } from './page-index.ts';
import type { ReadableRun } from './readable-run.ts';

/** Opens the files of runs and reads their page indexes, which it caches. */
export interface RunOpener {
  /**
   * Opens the runs that `runsNow` returns, and calls it again if a file is missing. They stay readable
   * until `held` is disposed, even after they leave the manifest. With many files only some stay open,
   * so reading the others can fail with `RunsRemoved`.
   */
  open(
    runsNow: () => Promise<readonly Run[]>,
    held: AsyncDisposableStack,
  ): Promise<readonly OpenedRun[]>;
}

/** A run of the manifest, and what is needed to read it. */
export interface OpenedRun {
  readonly run: Run;
  readonly open: ReadableRun;
}

export type ReadIndexes = (input: IndexesToRead) => Promise<PackedIndexes>;

const cacheBytes = 32 * 1024 * 1024;
/** Limits the number of descriptors, however many files there are. */
const maxHeldFiles = 32;
/** A few milliseconds of work between yields to the event loop. */
const runsPerTurn = 2_000;
const maxAttempts = 5;

export function createRunOpener(directory: string, readIndexes: ReadIndexes): RunOpener {
  // Files never change, so cached indexes stay valid.
  const cache = createIndexCache(cacheBytes);

  async function openAll(runs: readonly Run[], held: AsyncDisposableStack): Promise<OpenedRun[]> {
    const opened: OpenedRun[] = [];
    let files = 0;
    for (const [file, ofFile] of Map.groupBy(runs, (run) => run.file)) {
      const path = join(directory, file);
      const isHeld = files++ < maxHeldFiles;
      const handle = await openFile(path, file);
      await using ofThisFile = new AsyncDisposableStack();
      (isHeld ? held : ofThisFile).use(handle);
      const indexes = await indexesOf(handle, file, ofFile);
      const fd = isHeld ? handle.fd : null;
      for (const [i, run] of ofFile.entries()) {
        const { firstRowGroup } = run;
        opened.push({ run, open: { fd, path, file, firstRowGroup, index: indexes[i]! } });
      }
    }
    return opened;
  }

  async function indexesOf(
    handle: FileHandle,
    file: string,
    runs: readonly Run[],
  ): Promise<readonly PageIndex[]> {
    // The name alone does not distinguish a file from a later one of the same name.
    const { ino, mtimeMs } = await handle.stat();
    const keyOf = (run: Run) =>
      `${file} ${ino} ${mtimeMs} ${run.firstRowGroup} ${run.rowGroups} ${run.devices}`;
    const indexes = runs.map((run) => cache.get(keyOf(run)));
    const unknown = [...runs.keys()].filter((i) => !indexes[i]);
    if (unknown.length > 0) {
      const wanted = unknown.map((i) => runs[i]!);
      const packed = await readIndexes(indexesToRead(handle.fd, file, wanted));
      let groups = 0;
      let at = 0;
      for (const [n, i] of unknown.entries()) {
        if (n % runsPerTurn === runsPerTurn - 1) await setImmediate();
        const run = runs[i]!;
        const rowGroupPages = packed.pages.subarray(groups, groups + run.rowGroups);
        const bytes = rowGroupPages.reduce((sum, pages) => sum + pages, 0) * bytesPerPage;
        const content = new Uint8Array(packed.memory, at, bytes);
        indexes[i] = cache.add(keyOf(run), rowGroupPages, content);
        groups += run.rowGroups;
        at += bytes;
      }
    }
    return indexes as PageIndex[];
  }

  return {
    open: (runsNow, held) =>
      retry(
        maxAttempts,
        (error) => error instanceof RunsMissing,
        async () => {
          await using own = new AsyncDisposableStack();
          const opened = await openAll(await runsNow(), own);
          held.use(own.move());
          return opened;
        },
      ),
  };
}

/** Repeats work that opens runs, if one of their files was swept while it was reading. */
export function retryIfRemoved<T>(work: () => Promise<T>): Promise<T> {
  return retry(maxAttempts, (error) => error instanceof RunsRemoved, work);
}

/** The same pool. Its tasks fail with `RunsRemoved` if a file of opened runs no longer exists. */
export function reportRemovedRuns<T extends Tasks>(pool: ThreadPool<T>): ThreadPool<T> {
  return {
    ...pool,
    run: (name, input, options) =>
      pool.run(name, input, options).catch((error: unknown) => {
        // Tasks write only to files that are already open.
        if (codeOf(error) !== 'ENOENT') throw error;
        throw new RunsRemoved(messageOf(error), { cause: error });
      }),
  };
}

async function openFile(path: string, file: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw missingFileError(file, error);
    const message = `run file ${file} is in the manifest but cannot be opened: ${messageOf(error)}`;
    throw new Error(message, { cause: error });
  }
}
