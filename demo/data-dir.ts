import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../src/config/settings.ts';
import { lockDataDir } from '../src/data-dir/data-dir.ts';
import { stopLeftover } from '../src/records/database/embedded/server.ts';

/** Marks a folder that the demo created and may empty. */
const markerFile = 'made-by-demo';

/** Creates the folder, or empties it. Refuses a folder that the demo did not create or that is in use. */
export async function emptyDataDir(path: string): Promise<void> {
  const found = await readdir(path).catch((): string[] => []);
  if (found.length > 0) {
    if (!found.includes(markerFile)) {
      throw new ConfigError(
        `${path} was not created by the demo and would be emptied. Choose another folder with --data-dir.`,
      );
    }
    // Locked for a moment, to make sure that no service is using it.
    (await lockDataDir(path))[Symbol.dispose]();
    await removeDatabase(join(path, 'postgres'));
    await removeAllBut(path, markerFile);
  }
  await mkdir(path, { recursive: true, mode: 0o711 });
  await writeFile(join(path, markerFile), 'The demo empties this folder when it starts.\n');
}

/** A killed service leaves its database running. Its files may be elsewhere, with a link here. */
async function removeDatabase(home: string): Promise<void> {
  const folder = await realpath(home).catch(() => null);
  if (folder === null) return;
  await stopLeftover(join(folder, 'data'));
  await rm(folder, { recursive: true });
}

/** The marker stays until the end, so an interrupted run can be repeated. */
async function removeAllBut(path: string, kept: string): Promise<void> {
  for (const name of await readdir(path)) {
    // Processes of a killed service may still be writing.
    if (name !== kept) await rm(join(path, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

const summaryFile = (path: string) => join(path, 'demo.json');

/** The summary of the last demo; undefined if it did not finish loading. */
export async function readSummary<T>(path: string): Promise<T | undefined> {
  const text = await readFile(summaryFile(path), 'utf8').catch(() => null);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** Readable by its owner only, because it contains secrets. */
export async function writeSummary(path: string, summary: object): Promise<void> {
  await writeFile(summaryFile(path), JSON.stringify(summary, null, 2), { mode: 0o600 });
}
