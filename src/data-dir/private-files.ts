import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../domain/errors.ts';

const otherUsers = 0o077;

/**
 * Denies other users access to the data dir, also to everything that is there already, and makes
 * this process and its children create private files only.
 */
export async function keepPrivate(dataDir: string): Promise<void> {
  process.umask(otherUsers);
  // The embedded database of a service that root runs has its own user, which must pass through.
  await restrict(dataDir, process.getuid?.() === 0 ? 0o066 : otherUsers);
  const names = await readdir(dataDir);
  await Promise.all(names.map((name) => closeToOthers(join(dataDir, name))));
}

/** A folder is closed after its content, so an interrupted walk is completed at the next start. */
async function closeToOthers(path: string): Promise<void> {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink() || (found.mode & otherUsers) === 0) return;
    if (found.isDirectory()) {
      for (const name of await readdir(path)) await closeToOthers(join(path, name));
    }
    await restrict(path, otherUsers);
  } catch (error) {
    // Another process of the service deletes files meanwhile.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Takes these rights away. Files of another owner, such as a mounted volume, stay as they are. */
async function restrict(path: string, rights: number): Promise<void> {
  const { mode } = await lstat(path);
  if ((mode & rights) === 0) return;
  await chmod(path, mode & 0o7777 & ~rights).catch((error) => {
    if (!['EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error;
  });
}
