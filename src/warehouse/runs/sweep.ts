import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../domain/errors.ts';
import type { RunFiles } from '../../records/warehouse/run-files.ts';
import type { Maintenance } from '../port.ts';
import { syncDirectory } from './file/run-file-writer.ts';

export interface SweepDependencies {
  readonly directory: string;
  readonly runFiles: Pick<RunFiles, 'removeUnreferenced' | 'names'>;
}

export function createSweep({ directory, runFiles }: SweepDependencies): Maintenance['sweep'] {
  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(directory, name), { force: true });
  }

  /** Files without a record, left behind by a process that crashed. */
  async function strays(graceSeconds: number): Promise<string[]> {
    // Lists the folder before the records, because a file is recorded before it is created.
    const listed = await readdir(directory);
    const known = await runFiles.names();
    const before = Date.now() - graceSeconds * 1000;
    const found: string[] = [];
    for (const name of listed) {
      if (known.has(name.replace(/\.tmp$/, ''))) continue;
      const writtenAt = await lastWritten(join(directory, name));
      if (writtenAt !== undefined && writtenAt < before) found.push(name);
    }
    return found;
  }

  return async (graceSeconds) => {
    const unreferenced = await runFiles.removeUnreferenced(graceSeconds);
    await remove(unreferenced.flatMap((file) => [file, `${file}.tmp`]));
    const abandoned = await strays(graceSeconds);
    await remove(abandoned);
    if (unreferenced.length + abandoned.length > 0) await syncDirectory(directory);
    return { files: unreferenced.length, strays: abandoned.length };
  };
}

/** Undefined if the file is gone, or is not a regular file. */
async function lastWritten(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.mtimeMs : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
