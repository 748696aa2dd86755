import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/settings.ts';
import { codeOf } from '../domain/errors.ts';
import { replaceFile } from './replace-file.ts';

/**
 * The data dir keeps the number of the newest change that the database had committed. It may lag behind,
 * but a database whose number is smaller has lost changes: it was restored from an older backup.
 */
const fileName = 'changes';
const accepted = 'any';

/**
 * Throws if the database is older than the files in the data dir. Returns whether the operator has
 * accepted an older database since the last start.
 */
export async function checkDataAge(
  path: string,
  latestChange: number,
): Promise<'current' | 'accepted'> {
  const recorded = await readChanges(path);
  if (recorded === accepted) return 'accepted';
  if (latestChange >= Number(recorded)) return 'current';
  throw new ConfigError(
    `The database is older than the files in TRIBUTARY_DATA_DIR ${path}: it has change ${latestChange}, the files have change ${recorded}. Restore the newest backup of the database. If there is none, run "tributary recover --accept-older-database" and start again: files that the database does not know are then moved to the trash`,
  );
}

/**
 * Records the newest committed change of the database. Never records a smaller number, and leaves the
 * operator's acceptance to the next start.
 */
export async function recordDataAge(path: string, latestChange: number): Promise<void> {
  const recorded = await readChanges(path);
  if (recorded !== accepted && latestChange > Number(recorded)) {
    await write(path, String(latestChange));
  }
}

/** Ends the acceptance: from now on, this change of the database is the oldest acceptable one. */
export async function resetDataAge(path: string, latestChange: number): Promise<void> {
  await write(path, String(latestChange));
}

/** Makes the next start accept an older database. */
export async function acceptOlderDatabase(path: string): Promise<void> {
  if ((await readChanges(path)) === '0') {
    throw new ConfigError(
      `There is nothing to recover: TRIBUTARY_DATA_DIR ${path} has no recorded change, so it accepts any database. Start the service`,
    );
  }
  await write(path, accepted);
}

async function readChanges(path: string): Promise<string> {
  const file = join(path, fileName);
  const text = await readFile(file, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '0';
    throw error;
  });
  const content = text.trim();
  if (content === accepted || /^\d{1,15}$/.test(content)) return content;
  throw new ConfigError(`${file} is invalid: ${JSON.stringify(content)} is not a number`);
}

async function write(path: string, content: string): Promise<void> {
  await replaceFile(join(path, fileName), content);
}
