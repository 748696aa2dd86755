import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../domain/errors.ts';
import type { Trash } from '../../domain/trash.ts';
import type { RunFiles } from '../../records/warehouse/run-files.ts';
import type { Maintenance } from '../port.ts';
import { syncDirectory } from './file/run-file-writer.ts';

export interface SweepDependencies {
  readonly directory: string;
  readonly runFiles: Pick<RunFiles, 'removeUnreferenced' | 'forgetRemoved' | 'names'>;
  readonly trash: Trash;
}

export function createSweep(deps: SweepDependencies): Maintenance['sweep'] {
  const { directory, runFiles, trash } = deps;

  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(directory, name), { force: true });
  }

  /**
   * Files without a record: left behind by a process that crashed, or unknown because the database was
   * restored from an older backup.
   */
  async function strays(graceSeconds: number): Promise<string[]> {
    // Lists the folder before the records, because a file is recorded before it is created.
    const listed = await readdir(directory);
    const known = await runFiles.names();
    const found: string[] = [];
    for (const name of listed) {
      if (known.has(name.replace(/\.tmp$/, ''))) continue;
      const ageMs = await ageOf(join(directory, name));
      if (ageMs !== undefined && ageMs > graceSeconds * 1000) found.push(name);
    }
    return found;
  }

  return async (graceSeconds) => {
    const unreferenced = await runFiles.removeUnreferenced(graceSeconds);
    await remove(unreferenced.flatMap((file) => [file, `${file}.tmp`]));
    const found = await strays(graceSeconds);
    // No backup of a database refers to an unfinished file.
    const unfinished = found.filter((name) => name.endsWith('.tmp'));
    const finished = found.filter((name) => !name.endsWith('.tmp'));
    await remove(unfinished);
    if (unreferenced.length + unfinished.length > 0) await syncDirectory(directory);
    await runFiles.forgetRemoved(unreferenced);
    await trash.add(finished.map((name) => join(directory, name)));
    await trash.removeExpired();
    return { files: unreferenced.length, strays: found.length };
  };
}

/** Undefined if the file is gone, or is not a regular file. */
async function ageOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    const ageMs = Date.now() - found.mtimeMs;
    // The clock was set back since. The age counts from now.
    if (ageMs < 0) await utimes(path, new Date(), new Date());
    return ageMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
