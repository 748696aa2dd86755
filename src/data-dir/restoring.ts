import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../config/settings.ts';
import { codeOf } from '../domain/errors.ts';
import { recordDataAge } from './data-age.ts';
import { bindDataDir, lockRestoringDataDir, markFormat } from './data-dir.ts';
import { replaceFile } from './replace-file.ts';
import { suppressionFileName } from './suppression-file.ts';

/** A data dir that a backup is restored into. It is unusable until `finish`. */
export interface RestoringDataDir extends AsyncDisposable {
  /** The id of the folder, which the database must know. */
  readonly mark: string;
  /** Writes a file at a relative path, durably. */
  put(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Writes a file with one line. */
  write(name: string, line: string): Promise<void>;
  finish(installationId: string, latestChange: number): Promise<void>;
}

/** Creates the data dir, or takes an empty folder. */
export async function beginRestore(path: string): Promise<RestoringDataDir> {
  await refuseData(path);
  const lock = await lockRestoringDataDir(path);
  const mark = randomUUID();
  const folders = new Set<string>([path]);
  const write = (name: string, line: string) => replaceFile(join(path, name), line);

  async function put(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = join(path, name);
    if (!folders.has(dirname(file))) {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      folders.add(dirname(file)).add(dirname(dirname(file)));
    }
    await using handle = await open(file, 'wx', 0o600);
    for await (const chunk of content) await handle.writeFile(chunk);
    await handle.sync();
  }

  return {
    mark,
    put,
    write,
    async finish(installationId, latestChange) {
      await write('mark', mark);
      await bindDataDir(path, installationId);
      await recordDataAge(path, latestChange);
      for (const folder of folders) await sync(folder);
      await markFormat(path);
    },
    async [Symbol.asyncDispose]() {
      lock[Symbol.dispose]();
    },
  };
}

/** A restore never mixes its files with others. */
async function refuseData(path: string): Promise<void> {
  const names = await readdir(path).catch((error) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw new ConfigError(`${path} cannot be read: ${codeOf(error)}`, { cause: error });
  });
  // A new disk may have this folder. The list of suppressions may be newer than that of any backup.
  const allowed = ['lost+found', suppressionFileName];
  const found = names.filter((name) => !allowed.includes(name));
  if (found.length === 0) return;
  throw new ConfigError(
    `${path} is not empty: it has ${found[0]}. A set is restored into an empty or new folder only`,
  );
}

async function sync(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}
