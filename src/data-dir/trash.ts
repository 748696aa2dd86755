import { link, mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../domain/errors.ts';
import type { Trash } from '../domain/trash.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The trash of a folder is its subfolder `trash`, so moving a file never copies it. Files moved
 * together are in a subfolder that is named by the time.
 */
export function openTrash(folder: string, days: number): Trash {
  const trash = join(folder, 'trash');
  return {
    async add(paths) {
      if (paths.length === 0) return;
      const into = join(trash, new Date().toISOString().replaceAll(':', '.'));
      await mkdir(into, { recursive: true, mode: 0o700 });
      for (const path of paths) {
        await rename(path, join(into, basename(path))).catch(ignoreMissing);
      }
      for (const changed of [into, trash, folder]) await syncFolder(changed);
    },

    async removeExpired() {
      let files = 0;
      for (const name of await namesIn(trash)) {
        const addedAt = Date.parse(name.replace(/T(\d\d)\.(\d\d)\./, 'T$1:$2:'));
        // A folder with another name was put there by a person.
        if (!(addedAt < Date.now() - days * dayMs)) continue;
        files += (await namesIn(join(trash, name))).length;
        await rm(join(trash, name), { recursive: true, force: true });
      }
      return files;
    },
  };
}

/** Moves the files that the database knows back to where they were, and returns their number. */
export async function putBackFromTrash(
  folder: string,
  known: (names: readonly string[]) => Promise<ReadonlySet<string>>,
  pathOf = (name: string) => join(folder, name),
): Promise<number> {
  let files = 0;
  const trash = join(folder, 'trash');
  for (const added of await namesIn(trash)) {
    for (const name of await known(await namesIn(join(trash, added)))) {
      const path = pathOf(name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // Unlike a rename, a link never replaces an existing file.
      if (await linked(join(trash, added, name), path)) {
        await syncFolder(dirname(path));
        await unlink(join(trash, added, name));
        files++;
      }
    }
  }
  return files;
}

/** False if the new path exists. */
async function linked(existing: string, path: string): Promise<boolean> {
  try {
    await link(existing, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  });
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
