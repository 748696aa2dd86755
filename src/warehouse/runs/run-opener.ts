import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../domain/errors.ts';
import type { Run } from '../../records/manifest.ts';
import type { OpenRun } from './open-run.ts';
import type { RunPlace } from './read-index.ts';
import type { PageIndex } from './sets/page-index.ts';
import { createRecentlyUsed } from './sets/recently-used.ts';

/** A file that the manifest named a moment ago: its runs were replaced meanwhile, and it was removed. */
export class RunFileMissing extends Error {
  override readonly name = 'RunFileMissing';
}

/** Opens the files of runs and reads the index of their pages, which it remembers. */
export interface RunOpener {
  /** Asks which runs there are, and again if a file is gone. All are closed with `held`. */
  open(
    runsNow: () => Promise<readonly Run[]>,
    held: AsyncDisposableStack,
  ): Promise<readonly HeldRun[]>;
}

export interface HeldRun {
  readonly run: Run;
  readonly open: OpenRun;
}

export type ReadIndexes = (fd: number, runs: readonly RunPlace[]) => Promise<PageIndex[]>;

const bytesPerPage = 48;
const rememberedBytes = 32 * 1024 * 1024;
const attempts = 5;

export function createRunOpener(directory: string, readIndexes: ReadIndexes): RunOpener {
  // Files never change, so what was read of one stays true.
  const remembered = createRecentlyUsed<PageIndex>(rememberedBytes);

  async function openAll(runs: readonly Run[], held: AsyncDisposableStack): Promise<HeldRun[]> {
    const opened: HeldRun[] = [];
    for (const [file, ofFile] of Map.groupBy(runs, (run) => run.file)) {
      const handle = held.use(await openFile(directory, file));
      const indexes = await indexesOf(handle, ofFile);
      for (const [i, run] of ofFile.entries()) {
        const { firstRowGroup } = run;
        opened.push({ run, open: { fd: handle.fd, file, firstRowGroup, index: indexes[i]! } });
      }
    }
    return opened;
  }

  async function indexesOf(handle: FileHandle, runs: readonly Run[]): Promise<PageIndex[]> {
    // Its name alone does not tell a file from one that took its place.
    const { ino, mtimeMs } = await handle.stat();
    const keyOf = (run: Run) =>
      `${run.file} ${ino} ${mtimeMs} ${run.firstRowGroup} ${run.rowGroups} ${run.devices}`;
    const known = new Map(runs.map((run) => [run, remembered.get(keyOf(run))]));
    const unknown = runs.filter((run) => !known.get(run));
    if (unknown.length > 0) {
      const indexes = await readIndexes(handle.fd, unknown);
      for (const [i, run] of unknown.entries()) {
        const index = indexes[i]!;
        known.set(run, index);
        remembered.set(keyOf(run), index, index.pages * bytesPerPage);
      }
    }
    return runs.map((run) => known.get(run)!);
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

async function openFile(directory: string, file: string): Promise<FileHandle> {
  try {
    return await open(join(directory, file), 'r');
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    const reason = isMissing ? 'it is missing' : messageOf(error);
    const message = `run file ${file}, which the manifest names, cannot be read: ${reason}`;
    throw new (isMissing ? RunFileMissing : Error)(message, { cause: error });
  }
}
