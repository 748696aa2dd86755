import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { codeOf } from '../domain/errors.ts';
import { isSetName } from './set-name.ts';
import { type BackupTarget, FileMissing, sharedFiles, type TargetFile } from './target.ts';

const bytesPerRead = 1 << 20;
const unfinished = '.unfinished';

/** Sets in a folder that only its owner can read. It is created by the first file. */
export function openFolderTarget(folder: string): BackupTarget {
  const changedFolders = new Set<string>();

  return {
    address: folder,

    async put(path, content) {
      const file = join(folder, path);
      await makeFolder(dirname(file));
      try {
        await writeDurably(file + unfinished, content);
        await rename(file + unfinished, file);
      } catch (error) {
        await rm(file + unfinished, { force: true });
        throw error;
      }
      changedFolders.add(dirname(file));
    },

    open: (path) => readFileAt(folder, path),

    listFiles: () => listBelow(sharedFiles),

    async *listSets() {
      const names = await readdir(folder).catch(emptyIfMissing);
      for (const name of names.filter(isSetName)) yield* listBelow(name);
    },

    async remove(path) {
      const file = join(folder, path);
      await rm(file, { force: true });
      // The last file takes its folders with it.
      for (
        let emptied = dirname(file);
        emptied.length > folder.length;
        emptied = dirname(emptied)
      ) {
        const isGone = await rmdir(emptied).then(
          () => true,
          () => false,
        );
        if (!isGone) return;
      }
    },

    async settle() {
      for (const changed of changedFolders) await sync(changed);
      changedFolders.clear();
    },

    async [Symbol.asyncDispose]() {},
  };

  async function* listBelow(name: string): AsyncGenerator<TargetFile> {
    const options = { recursive: true, withFileTypes: true } as const;
    for (const entry of await readdir(join(folder, name), options).catch(emptyIfMissing)) {
      if (!entry.isFile()) continue;
      const file = join(entry.parentPath, entry.name);
      const found = await stat(file).catch(() => null);
      if (found) yield { path: relative(folder, file), size: found.size };
    }
  }

  async function makeFolder(path: string): Promise<void> {
    if (changedFolders.has(path)) return;
    if ((await mkdir(path, { recursive: true, mode: 0o700 })) === undefined) return;
    for (let made = path; made.length > folder.length; made = dirname(made)) {
      changedFolders.add(dirname(made));
    }
  }
}

/** A file that is durable when this resolves. It must not exist, or be left from an interrupted attempt. */
async function writeDurably(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await using handle = await open(file, 'w', 0o600);
  for await (const chunk of content) await handle.writeFile(chunk);
  await handle.sync();
}

/** Reads a file below a folder. */
export async function* readFileAt(folder: string, path: string): AsyncGenerator<Uint8Array> {
  const file = await open(join(folder, path), 'r').catch((error) => {
    throw codeOf(error) === 'ENOENT' ? new FileMissing(path, error) : error;
  });
  yield* file.createReadStream({ highWaterMark: bytesPerRead });
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path);
  await handle.sync();
}

function emptyIfMissing(error: unknown): never[] {
  if (codeOf(error) === 'ENOENT') return [];
  throw error;
}
