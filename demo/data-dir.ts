import { mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../src/config/settings.ts';
import { takeDataDir } from '../src/data-dir/data-dir.ts';
import { stopLeftover } from '../src/records/database/embedded/server.ts';

/** Tells a folder that the demo made, and may empty, from one that holds somebody's data. */
const markerFile = 'made-by-demo';

/** Makes the folder anew. One that the demo did not make is refused, and so is one in use. */
export async function emptyDataDir(path: string): Promise<void> {
  const found = await readdir(path).catch((): string[] => []);
  if (found.length > 0) {
    if (!found.includes(markerFile)) {
      throw new ConfigError(`${path} holds something else than a demo, and would be emptied`);
    }
    // Taken for a moment, since nothing must be taken from under a service that runs.
    (await takeDataDir(path))[Symbol.dispose]();
    await removeDatabase(join(path, 'postgres'));
    await removeAllBut(path, markerFile);
  }
  await mkdir(path, { recursive: true, mode: 0o711 });
  await writeFile(join(path, markerFile), 'npm run demo empties this folder when it starts.\n');
}

/** A service that was killed leaves its database running; and that may lie elsewhere, with a link to it here. */
async function removeDatabase(home: string): Promise<void> {
  const folder = await realpath(home).catch(() => null);
  if (folder === null) return;
  await stopLeftover(join(folder, 'data'));
  await rm(folder, { recursive: true });
}

/** The marker is never gone while something else is left, even if it stops half-way. */
async function removeAllBut(path: string, kept: string): Promise<void> {
  for (const name of await readdir(path)) {
    // Processes of a service that was killed may still be writing their last.
    if (name !== kept) await rm(join(path, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

const summaryFile = (path: string) => join(path, 'demo.json');

/** What the demo had to say when it was loaded. Nothing if it never was, or not to the end. */
export async function readSummary<T>(path: string): Promise<T | undefined> {
  const text = await readFile(summaryFile(path), 'utf8').catch(() => null);
  return text === null ? undefined : (JSON.parse(text) as T);
}

/** With secrets in it, so for its owner only. */
export async function writeSummary(path: string, summary: object): Promise<void> {
  await writeFile(summaryFile(path), JSON.stringify(summary, null, 2), { mode: 0o600 });
}
