import { newestSet } from '../backup/create-backup.ts';
import { listSets, type Manifest, readManifest } from '../backup/manifest.ts';
import { openTarget, parseAddress, type SetAddress } from '../backup/open-target.ts';
import type { OnProgress } from '../backup/progress.ts';
import { type Removed, removeBackups } from '../backup/remove-backups.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import {
  type BackupService,
  createRecorded,
  problemOf,
  removeRecorded,
  sizeOf,
} from '../backup/run-recorded.ts';
import { isSetName } from '../backup/set-name.ts';
import { BackupError, type BackupTarget } from '../backup/target.ts';
import { type Verified, verifyBackups } from '../backup/verify-backup.ts';
import { type Config, databaseOf } from '../config/config.ts';
import { isInUse, lockDataDir, readSecretKeys } from '../data-dir/data-dir.ts';
import { openDatabase } from '../records/database/connection.ts';
import { createSealing } from '../records/database/sealing.ts';
import { createRecords } from '../records/records.ts';
import { hasService, openServiceDatabase } from './open-service-database.ts';
import { findWarehouse } from './warehouse/find-warehouse.ts';

export { dataElsewhere } from '../backup/create-backup.ts';

/** A set as it is listed. */
export interface ListedSet {
  readonly set: string;
  readonly state: 'complete' | 'incomplete';
  readonly manifest: Manifest | null;
}

/** Two locks, the records of the backup, and one to spare. */
const maxConnections = 4;

/**
 * Whether a service with an embedded database runs in the data dir. Only that service reaches its database,
 * so it must do the work. If it does not run, or if DATABASE_URL is set, this process can.
 */
export async function isServiceRunning(config: Config): Promise<boolean> {
  if (config.databaseUrl !== null || !(await hasService(config))) return false;
  try {
    (await lockDataDir(config.dataDir))[Symbol.dispose]();
    return false;
  } catch (error) {
    if (isInUse(error)) return true;
    throw error;
  }
}

/** A set that was made, as it is recorded. */
export interface CreatedSet {
  readonly set: string | null;
  readonly files: number | null;
  readonly bytes: number | null;
  readonly new_bytes: number | null;
  readonly problem: string | null;
}

/** Makes a set of the service with these settings. */
export async function createHere(
  config: Config,
  place: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<CreatedSet> {
  await using target = await openTarget(place, config.backup.storage);
  return withService(config, signal, async (service) => {
    const manifest = await createRecorded(service, target, null, onProgress, signal);
    return { set: manifest.set, ...sizeOf(manifest), problem: problemOf(manifest) };
  });
}

/** Reads all sets, or one. Needs no service. */
export async function verifyHere(
  config: Config,
  address: string | undefined,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Verified> {
  const { target: place, set } = addressed(config, address);
  await using target = await openTarget(place, config.backup.storage);
  return verifyBackups(target, set, onProgress, signal);
}

export async function listHere(config: Config, address: string | undefined): Promise<ListedSet[]> {
  await using target = await openTarget(wholeTarget(config, address).target, config.backup.storage);
  const listed: ListedSet[] = [];
  for (const { set, isComplete } of await listSets(target)) {
    const manifest = isComplete ? await readManifest(target, set) : null;
    listed.push({ set, state: isComplete ? 'complete' : 'incomplete', manifest });
  }
  return listed;
}

/** Restores one set, or the newest one, into the data dir of the settings. */
export async function restoreHere(
  config: Config,
  address: string | undefined,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Manifest> {
  const { target: place, set } = addressed(config, address);
  await using target = await openTarget(place, config.backup.storage);
  return restoreBackup(config, target, set ?? (await newest(target)), onProgress, signal);
}

/** Removes one set. Without a service on this machine, nothing else uses the target. */
export async function removeHere(
  config: Config,
  address: string,
  signal: AbortSignal,
): Promise<Removed> {
  const { target: place, set } = namedSet(config, address);
  await using target = await openTarget(place, config.backup.storage);
  if (!(await hasService(config))) return removeBackups(target, [set], signal);
  return withService(config, signal, (service) =>
    removeRecorded(service, target, { set }, null, signal),
  );
}

async function newest(target: BackupTarget): Promise<string> {
  const set = await newestSet(target);
  if (!set) throw new BackupError(`${target.address} holds no complete set`);
  return set;
}

/** One set, which must be named. */
export function namedSet(config: Config, address: string): { target: string; set: string } {
  const { target, set } = addressed(config, address);
  if (set !== null) return { target, set };
  throw new BackupError(`${address} is not a set: name one, as "tributary backup list" shows it`);
}

function addressed({ backup }: Config, address: string | undefined): SetAddress {
  if (address !== undefined && isSetName(address) && backup.target !== null) {
    return { target: backup.target, set: address };
  }
  const text = address ?? backup.target;
  if (text === null) {
    throw new BackupError('Name a folder or s3://bucket/prefix, or set TRIBUTARY_BACKUP_TARGET');
  }
  return parseAddress(text, process.cwd());
}

export function wholeTarget(config: Config, address: string | undefined): SetAddress {
  const found = addressed(config, address);
  if (found.set === null) return found;
  throw new BackupError(`${address} is a set: name the folder or prefix that holds the sets`);
}

async function withService<T>(
  config: Config,
  signal: AbortSignal,
  work: (service: BackupService) => Promise<T>,
): Promise<T> {
  await using resources = new AsyncDisposableStack();
  const databaseUrl = await openServiceDatabase(config, resources, signal);
  const database = databaseOf({ ...config, databaseUrl });
  const secretKeys = await readSecretKeys(config.dataDir, config.secretKeys);
  if (secretKeys.length === 0) {
    throw new BackupError(
      `No secret key found in ${config.dataDir}. Set TRIBUTARY_DATA_DIR to the data dir of the service, or set TRIBUTARY_SECRET_KEY.`,
    );
  }
  const db = openDatabase({ ...database, maxConnections });
  resources.defer(() => db.destroy());
  const records = createRecords(db, createSealing(secretKeys));
  const { config: used } = await findWarehouse(config, records);
  return await work({ config: used, database, records });
}
