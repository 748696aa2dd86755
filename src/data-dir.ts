import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { adminTokenFile } from './config.ts';
import { codeOf, messageOf } from './domain/errors.ts';
import { ConfigError } from './settings.ts';

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
    await writeWhole(file, `${formatVersion}\n`, 0o644);
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

/** Whose data is in it: for ever that of the service that came first. */
export async function bindDataDir(path: string, installationId: string): Promise<void> {
  const file = join(path, 'installation');
  const bound = (await readIfThere(file))?.trim();
  if (!bound) await writeWhole(file, `${installationId}\n`, 0o644);
  else if (bound !== installationId) {
    throw unusable(
      path,
      'holds the data of another service than the database does: set another folder, or the database of this one',
    );
  }
}

/**
 * What tells this folder from any other. It is made once, by whichever process comes first, and goes
 * with the folder when that is moved.
 */
export async function readOrMakeMark(path: string): Promise<string> {
  const file = join(path, 'mark');
  const existing = (await readIfThere(file))?.trim();
  if (existing) return existing;
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(unfinished, `${randomUUID()}\n`);
  // A link takes nobody's place.
  await link(unfinished, file).catch((error) => {
    if (codeOf(error) !== 'EEXIST')
      throw unusable(path, `cannot be marked: ${inWords(error)}`, error);
  });
  await rm(unfinished);
  return (await readFile(file, 'utf8')).trim();
}

/** The operator's token: the setting, or one made on the first start that only its owner can read. */
export async function readOrMakeAdminToken(path: string, setting: string | null): Promise<string> {
  if (setting !== null) return setting;
  return readOrMakeSecret(
    adminTokenFile(path),
    () => `trib_admin_${randomBytes(32).toString('base64url')}`,
  );
}

/** What secrets are sealed with: the setting, or one key made on the first start. */
export async function readOrMakeSecretKeys(
  path: string,
  setting: readonly string[] | null,
): Promise<readonly string[]> {
  if (setting !== null) return setting;
  return [await readOrMakeSecret(join(path, 'secret-key'), () => randomBytes(32).toString('hex'))];
}

async function readOrMakeSecret(file: string, make: () => string): Promise<string> {
  const existing = (await readIfThere(file))?.trim();
  if (existing) return existing;
  const made = make();
  await writeWhole(file, `${made}\n`, 0o600);
  return made;
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read: ${inWords(error)}`, { cause: error });
  }
}

/** All of it or nothing, even if the process is killed meanwhile, or others write the same. */
async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const unfinished = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(unfinished, text, { mode });
  await rename(unfinished, file);
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
