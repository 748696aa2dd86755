import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { adminTokenFile } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { readVersion } from '../config/version.ts';
import { codeOf, messageOf } from '../domain/errors.ts';
import { tokenPrefix } from '../domain/token-kinds.ts';
import { refuseDowngrade } from './data-version.ts';
import { keepPrivate } from './private-files.ts';
import { replaceFile } from './replace-file.ts';

const formatVersion = 1;
/** The content of the format file while a backup is restored. */
const unfinishedRestore = 'restoring';
const leastFreeBytes = 128 * 1024 * 1024;

export interface DataDir extends Disposable {
  /** It was empty before. */
  readonly isNew: boolean;
}

/** Creates the data dir if necessary. Any number of processes may use it. */
export async function openDataDir(path: string): Promise<void> {
  await ensureWritable(path);
  await checkFreeSpace(path);
  await checkFormat(path);
}

/** Creates the data dir if necessary and locks it for this process and its children. */
export async function lockDataDir(path: string): Promise<DataDir> {
  await ensureWritable(path);
  await checkFreeSpace(path);
  const lock = await acquireLock(path);
  try {
    const isNew = await checkFormat(path);
    return { isNew, [Symbol.dispose]: () => lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Creates the data dir and locks it for a restore. No service accepts it until `markFormat`. */
export async function lockRestoringDataDir(path: string): Promise<Disposable> {
  await ensureWritable(path);
  await checkFreeSpace(path);
  const lock = await acquireLock(path);
  await replaceFile(join(path, 'format'), unfinishedRestore);
  return { [Symbol.dispose]: () => lock.close() };
}

/** Ends a restore: services accept the data dir from now on. */
export async function markFormat(path: string): Promise<void> {
  await replaceFile(join(path, 'format'), String(formatVersion));
}

async function ensureWritable(path: string): Promise<void> {
  try {
    // The embedded database may run as another user, which must be able to pass through.
    // If a recursive mkdir fails, a plain one gives the real cause.
    const mode = 0o711;
    await mkdir(path, { recursive: true, mode }).catch(() => mkdir(path, { mode }));
    await keepPrivate(path);
    const probe = join(path, `.write-test-${randomBytes(4).toString('hex')}`);
    await writeFile(probe, 'x');
    await rm(probe);
  } catch (error) {
    throw unusable(path, `is not writable: ${reasonOf(error)}`, error);
  }
}

async function checkFreeSpace(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  if (free >= leastFreeBytes) return;
  const mebibytes = (bytes: number) => Math.floor(bytes / 1024 / 1024);
  throw unusable(
    path,
    `has only ${mebibytes(free)} MiB free, at least ${mebibytes(leastFreeBytes)} MiB are required`,
  );
}

/**
 * SQLite locks a file through the kernel, which releases the lock when the process ends, for
 * whatever reason. Node has no other API for this.
 */
async function acquireLock(path: string): Promise<DatabaseSync> {
  const pidFile = join(path, 'tributary.pid');
  const lock = new DatabaseSync(join(path, 'lock'), { open: false });
  try {
    lock.open();
    lock.exec('pragma journal_mode = memory; begin exclusive');
    await writeFile(pidFile, `${process.pid}\n`);
    return lock;
  } catch (error) {
    if (lock.isOpen) lock.close();
    if (!isBusy(error)) throw unusable(path, `cannot be locked: ${reasonOf(error)}`, error);
    const owner = (await readIfExists(pidFile))?.trim() || undefined;
    const holder = owner === undefined ? 'another process' : `process ${owner}`;
    throw unusable(path, `is in use by ${holder}`, error);
  }
}

/** Whether a data dir could not be locked because a service uses it. */
export function isInUse(error: unknown): boolean {
  return error instanceof ConfigError && isBusy(error.cause);
}

function isBusy(error: unknown): boolean {
  const sqliteBusy = 5;
  // The low byte is the primary result code.
  return (
    error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === sqliteBusy
  );
}

async function checkFormat(path: string): Promise<boolean> {
  const file = join(path, 'format');
  const found = (await readIfExists(file))?.trim();
  if (!found) {
    await readOrCreate(file, () => String(formatVersion));
    return true;
  }
  if (found === unfinishedRestore) {
    throw unusable(
      path,
      'holds a backup that was not restored completely: remove the folder and restore again',
    );
  }
  if (!/^\d+$/.test(found)) {
    throw unusable(path, `has an invalid format file: ${JSON.stringify(found)} is not a number`);
  }
  if (Number(found) > formatVersion) {
    throw unusable(
      path,
      `has format ${found} of a newer Tributary, but this version supports only format ${formatVersion}`,
    );
  }
  await refuseDowngrade(path, readVersion());
  return false;
}

/** The data dir belongs to the first service that uses it. A service may have many data dirs. */
export async function bindDataDir(path: string, installationId: string): Promise<void> {
  const bound = await readOrCreate(join(path, 'installation'), () => installationId);
  if (bound !== installationId) {
    throw unusable(
      path,
      'belongs to another service than the database: set a different folder, or the DATABASE_URL of the service that owns it',
    );
  }
}

/** Identifies this folder, even among those of the same service. The mark moves with the folder. */
export async function readOrCreateMark(path: string): Promise<string> {
  return readOrCreate(join(path, 'mark'), randomUUID);
}

/** The operator's token: the setting, or one generated on the first start in a file with mode 0600. */
export async function readOrCreateAdminToken(
  path: string,
  setting: string | null,
): Promise<string> {
  if (setting !== null) return setting;
  const make = () => `${tokenPrefix('admin')}${randomBytes(32).toString('base64url')}`;
  return readOrCreate(adminTokenFile(path), make);
}

/** Keeps another token for the next start and for the command line. The file is never incomplete. */
export async function replaceAdminToken(path: string, token: string): Promise<void> {
  const file = adminTokenFile(path);
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(unfinished, `${token}\n`, { mode: 0o600, flush: true });
    await rename(unfinished, file);
    await syncFolder(dirname(file));
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** The keys that encrypt secrets: the setting, or the key in the data dir. Empty if there is none. */
export async function readSecretKeys(
  path: string,
  setting: readonly string[] | null,
): Promise<readonly string[]> {
  if (setting !== null) return setting;
  const existing = (await readIfExists(secretKeyFile(path)))?.trim();
  return existing ? [existing] : [];
}

/** The same, with a key generated on the first start. */
export async function readOrCreateSecretKeys(
  path: string,
  setting: readonly string[] | null,
): Promise<readonly string[]> {
  const existing = await readSecretKeys(path, setting);
  if (existing.length > 0) return existing;
  const file = secretKeyFile(path);
  // Nothing that was encrypted with a lost key could be decrypted with a new one.
  if (await readIfExists(join(path, 'installation'))) {
    throw new ConfigError(
      `${file} is missing or empty, but this data dir is already in use: restore the file from a backup, or set TRIBUTARY_SECRET_KEY to the key that was in it`,
    );
  }
  return [await readOrCreate(file, () => randomBytes(32).toString('hex'))];
}

function secretKeyFile(path: string): string {
  return join(path, 'secret-key');
}

/** The secrets that were generated in the data dir, by the names of their files. Settings replace them. */
export async function readSecretFiles(config: {
  readonly dataDir: string;
  readonly secretKeys: readonly string[] | null;
  readonly adminToken: string | null;
}): Promise<Readonly<Record<string, string>>> {
  const { dataDir, secretKeys, adminToken } = config;
  const secrets: Record<string, string> = {};
  const names = [...(secretKeys ? [] : ['secret-key']), ...(adminToken ? [] : ['admin-token'])];
  for (const name of names) {
    const content = await readIfExists(join(dataDir, name));
    if (content) secrets[name] = content;
  }
  return secrets;
}

/**
 * Reads a file, or creates it if it is missing or empty. The file is never incomplete, even after a
 * power cut, and if several processes create it at once, all return the same content.
 */
async function readOrCreate(file: string, make: () => string): Promise<string> {
  const existing = (await readIfExists(file))?.trim();
  if (existing) return existing;
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(unfinished, `${make()}\n`, { mode: 0o600, flush: true });
    // An empty file is replaced. A file that another process has created meanwhile stays.
    if (existing === '') await rm(file, { force: true });
    await link(unfinished, file).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    await syncFolder(dirname(file));
  } catch (error) {
    throw new ConfigError(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  } finally {
    await rm(unfinished, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

/** Makes the entries of a folder durable. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function unusable(path: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError(`TRIBUTARY_DATA_DIR ${path} ${why}`, { cause });
}

function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'it is not a folder';
    default:
      return messageOf(error);
  }
}
