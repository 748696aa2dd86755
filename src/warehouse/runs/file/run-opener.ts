import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { codeOf, messageOf } from '../../../domain/errors.ts';
import type { Run } from '../../../records/warehouse/manifest.ts';
import { RunsMissing } from '../../port.ts';
import { createIndexCache } from './index-cache.ts';
import type { OpenRun } from './readable-run.ts';
import { type IndexesToRead, indexesToRead, type PackedIndexes } from './packed-indexes.ts';
import { bytesPerPage, type PageIndex } from './page-index.ts';

/** A file that the manifest named a moment ago: its runs were replaced meanwhile, and it was removed. */
export class RunFileMissing extends RunsMissing {
  override readonly name: string = 'RunFileMissing';
}

/** The same of a file that was there when its runs were opened, but was not held open. */
export class RunFileRemoved extends RunFileMissing {
  override readonly name = 'RunFileRemoved';
}

/** Opens the files of runs and reads the index of their pages, which it remembers. */
export interface RunOpener {
  /**
   * Asks which runs there are, and again if a file is gone. All are closed with `held`. Of many files
   * most are not held open, and are opened again by who reads them: then one may be gone.
   */
  open(
    runsNow: () => Promise<readonly Run[]>,
    held: AsyncDisposableStack,
  ): Promise<readonly HeldRun[]>;
}

export interface HeldRun {
  readonly run: Run;
  readonly open: OpenRun;
}

export type ReadIndexes = (input: IndexesToRead) => Promise<PackedIndexes>;

const rememberedBytes = 32 * 1024 * 1024;
/** More would let the number of descriptors grow with that of the files. */
const maxHeldFiles = 32;
/** Some milliseconds' work, between which the event loop turns. */
const runsPerTurn = 2_000;
const attempts = 5;

export function createRunOpener(directory: string, readIndexes: ReadIndexes): RunOpener {
  // Files never change, so what was read of one stays true.
  const remembered = createIndexCache(rememberedBytes);

  async function openAll(runs: readonly Run[], held: AsyncDisposableStack): Promise<HeldRun[]> {
    const opened: HeldRun[] = [];
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
    // Its name alone does not tell a file from one that took its place.
    const { ino, mtimeMs } = await handle.stat();
    const keyOf = (run: Run) =>
      `${file} ${ino} ${mtimeMs} ${run.firstRowGroup} ${run.rowGroups} ${run.devices}`;
    const indexes = runs.map((run) => remembered.get(keyOf(run)));
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
        indexes[i] = remembered.add(keyOf(run), rowGroupPages, content);
        groups += run.rowGroups;
        at += bytes;
      }
    }
    return indexes as PageIndex[];
  }

  return {
    async open(runsNow, held) {
      for (let attempt = 1; ; attempt++) {
        await using own = new AsyncDisposableStack();
        try {
          const opened = await openAll(await runsNow(), own);
          held.use(own.move());
          return opened;
        } catch (error) {
          if (!(error instanceof RunFileMissing) || attempt === attempts) throw error;
        }
      }
    },
  };
}

/** Does work on runs that it opens anew each time, until none of their files goes meanwhile. */
export async function startingOver<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RunFileRemoved) || attempt === attempts) throw error;
    }
  }
}

async function openFile(path: string, file: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    const reason = isMissing ? 'it is missing' : messageOf(error);
    const message = `run file ${file}, which the manifest names, cannot be read: ${reason}`;
    throw new (isMissing ? RunFileMissing : Error)(message, { cause: error });
  }
}
