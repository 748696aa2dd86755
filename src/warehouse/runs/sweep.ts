import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../domain/errors.ts';
import type { RunFiles } from '../../records/warehouse/run-files.ts';
import type { Upkeep } from '../port.ts';

export interface SweepDependencies {
  readonly directory: string;
  readonly runFiles: Pick<RunFiles, 'strikeOff' | 'names'>;
}

export function createSweep({ directory, runFiles }: SweepDependencies): Upkeep['sweep'] {
  async function remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(directory, name), { force: true });
  }

  /** What no record knows: what a process left behind that died at the wrong moment. */
  async function strays(graceSeconds: number): Promise<string[]> {
    // Listed before it is asked which are known: a file is made only after it is known.
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
    const struck = await runFiles.strikeOff(graceSeconds);
    await remove(struck.flatMap((file) => [file, `${file}.tmp`]));
    const left = await strays(graceSeconds);
    await remove(left);
    if (struck.length + left.length > 0) await syncDirectory(directory);
    return { files: struck.length, strays: left.length };
  };
}

/** Undefined if it is gone, or no file. */
async function lastWritten(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.mtimeMs : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** So that what was removed stays so after a power cut. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r');
  await handle.sync();
}
