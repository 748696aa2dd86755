import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/settings.ts';
import { codeOf } from '../domain/errors.ts';
import { isNewerVersion } from './newer-version.ts';
import { replaceFile } from './replace-file.ts';

/** The data dir keeps the newest version of Tributary that has used it. */
const fileName = 'version';

/** Throws if a newer version has used the data dir, because it may have written data that this one cannot read. */
export async function refuseDowngrade(path: string, version: string): Promise<void> {
  const recorded = await readRecorded(path);
  if (recorded === undefined || !isNewerVersion(recorded, version)) return;
  throw new ConfigError(
    `TRIBUTARY_DATA_DIR ${path} was used by Tributary ${recorded}, which is newer than this version, ${version}. Run ${recorded} or newer, or restore a backup from before the upgrade`,
  );
}

/** Records that this version uses the data dir. Several versions may, during an upgrade; the newest one is kept. */
export async function recordVersion(path: string, version: string): Promise<void> {
  const recorded = await readRecorded(path);
  if (recorded !== undefined && !isNewerVersion(version, recorded)) return;
  await replaceFile(join(path, fileName), version);
}

async function readRecorded(path: string): Promise<string | undefined> {
  const text = await readFile(join(path, fileName), 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  return text.trim() || undefined;
}
