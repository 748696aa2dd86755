import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../domain/errors.ts';
import { syncDirectory } from './file/run-file-writer.ts';

/**
 * Deletes all run files of a folder that is not in use, and its trash. `isStillUnused` is called after the
 * files were listed: a process that was frozen must not delete files that were created later.
 */
export async function eraseFolder(
  directory: string,
  isStillUnused: () => Promise<boolean>,
): Promise<boolean> {
  const names = await readdir(directory).catch((error) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  if (!(await isStillUnused())) return false;
  for (const name of names) await rm(join(directory, name), { recursive: true, force: true });
  if (names.length > 0) await syncDirectory(directory);
  return true;
}
