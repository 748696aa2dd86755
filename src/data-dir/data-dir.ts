import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { adminTokenFile } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { codeOf, messageOf } from '../domain/errors.ts';

const formatVersion = 1;
const leastFreeBytes = 128 * 1024 * 1024;

export interface DataDir extends Disposable {
  /** Nothing was in it before. */
  readonly isNew: boolean;
}

/** Makes the data dir, for any number of processes, or says in one line why it cannot be had. */
export async function openDataDir(path: string): Promise<void> {
  await makeWritable(path);
  await checkFreeSpace(path);
  await checkFormat(path);
}

/** Takes the data dir for this process and those it starts, or says in one line why it cannot be had. */
export async function takeDataDir(path: string): Promise<DataDir> {
  await makeWritable(path);
  await checkFreeSpace(path);
  const lock = await takeLock(path);
  try {
    const isNew = await checkFormat(path);
    return { isNew, [Symbol.dispose]: () => lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
}

async function makeWritable(path: string): Promise<void> {
  try {
    // Others must be able to pass through to the database's own folder, which runs as its own user.
    // Once more for a single folder if that fails, since then Node names the real cause.
    const mode = 0o711;
    await mkdir(path, { recursive: true, mode }).catch(() => mkdir(path, { mode }));
    const probe = join(path, `.write-test-${randomBytes(4).toString('hex')}`);
    await writeFile(probe, 'x');
    await rm(probe);
  } catch (error) {
    throw unusable(path, `cannot be written to: ${inWords(error)}`, error);
  }
}

async function checkFreeSpace(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  if (free >= leastFreeBytes) return;
  const mebibytes = (bytes: number) => Math.floor(bytes / 1024 / 1024);
  throw unusable(
    path,
    `has only ${mebibytes(free)} MiB free, at least ${mebibytes(leastFreeBytes)} are needed`,
  );
}

/**
 * SQLite's lock on a file is the kernel's: it goes with the process that holds it, however that
 * ends, and Node has no other way to take one.
 */
async function takeLock(path: string): Promise<DatabaseSync> {
  const pidFile = join(path, 'tributary.pid');
  const lock = new DatabaseSync(join(path, 'lock'), { open: false });
  try {
    lock.open();
    lock.exec('pragma journal_mode = memory; begin exclusive');
    await writeFile(pidFile, `${process.pid}\n`);
    return lock;
  } catch (error) {
    if (lock.isOpen) lock.close();
    if (!isBusy(error)) throw unusable(path, `cannot be locked: ${inWords(error)}`, error);
    const owner = (await readIfThere(pidFile))?.trim() || undefined;
    const holder = owner === undefined ? 'another process' : `process ${owner}`;
    throw unusable(path, `is in use by ${holder}`, error);
  }
}

function isBusy(error: unknown): boolean {
  const sqliteBusy = 5;
  // The low byte is the kind of error, the rest its shade.
  return (
    error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === sqliteBusy
  );
}

async function checkFormat(path: string): Promise<boolean> {
  const file = join(path, 'format');
  const found = (await readIfThere(file))?.trim();
  if (!found) {
    await readOrMake(file, () => String(formatVersion), 0o644);
    return true;
  }
  if (!/^\d+$/.test(found)) {
    throw unusable(path, `has a format file that says ${JSON.stringify(found)} and not a number`);
  }
  if (Number(found) > formatVersion) {
    throw unusable(
      path,
      `has the format ${found} of a newer Tributary, this one knows ${formatVersion}`,
    );
  }
  return false;
}

/** Whose folder it is: for ever that of the service which came first. A service may have many. */
export async function bindDataDir(path: string, installationId: string): Promise<void> {
  const bound = await readOrMake(join(path, 'installation'), () => installationId, 0o644);
  if (bound !== installationId) {
    throw unusable(
      path,
      'holds the data of another service than the database does: set another folder, or the database of this one',
    );
  }
}

/**
 * What tells this folder from any other, those of the same service too. It goes with the folder when
 * that is moved.
 */
export async function readOrMakeMark(path: string): Promise<string> {
  return readOrMake(join(path, 'mark'), randomUUID, 0o644);
}

/** The operator's token: the setting, or one made on the first start that only its owner can read. */
export async function readOrMakeAdminToken(path: string, setting: string | null): Promise<string> {
  if (setting !== null) return setting;
  const make = () => `trib_admin_${randomBytes(32).toString('base64url')}`;
  return readOrMake(adminTokenFile(path), make, 0o600);
}

/** What secrets are sealed with: the setting, or one key made on the first start. */
export async function readOrMakeSecretKeys(
  path: string,
  setting: readonly string[] | null,
): Promise<readonly string[]> {
  if (setting !== null) return setting;
  const make = () => randomBytes(32).toString('hex');
  return [await readOrMake(join(path, 'secret-key'), make, 0o600)];
}

/**
 * What the file says. If that is nothing yet, what is made for it: all of it, even if the process is
 * killed meanwhile, and that of one process, even if others make it at the same time.
 */
async function readOrMake(file: string, make: () => string, mode: number): Promise<string> {
  const existing = (await readIfThere(file))?.trim();
  if (existing) return existing;
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(unfinished, `${make()}\n`, { mode });
    // A file that lost its content makes room; one that another process made stays.
    if (existing === '') await rm(file, { force: true });
    await link(unfinished, file).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw new ConfigError(`${file} cannot be written: ${inWords(error)}`, { cause: error });
  } finally {
    await rm(unfinished, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read: ${inWords(error)}`, { cause: error });
  }
}

function unusable(path: string, why: string, cause?: unknown): ConfigError {
  return new ConfigError(`TRIBUTARY_DATA_DIR ${path} ${why}`, { cause });
}

function inWords(error: unknown): string {
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
