import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { machineHas } from '../../test/support/requirements.ts';
import { mountDisk } from '../../test/support/small-disk.ts';
import { unprivileged } from '../../test/support/unprivileged.ts';
import { ConfigError } from '../config/settings.ts';
import {
  bindDataDir,
  lockDataDir,
  readOrCreateAdminToken,
  readOrCreateMark,
  readOrCreateSecretKeys,
  replaceAdminToken,
} from './data-dir.ts';
import { recordVersion } from './data-version.ts';

let folder: string;
beforeEach(async () => {
  // Locking changes it, also in tests of other files that run in this process.
  process.umask(0o022);
  folder = await mkdtemp(join(tmpdir(), 'tributary-data-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The search right of the data dir that the database's own user needs under root. */
const privateMode = machineHas('root') ? 0o711 : 0o700;

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

/** The one-line reason why the data dir is refused. */
async function refusal(path: string): Promise<string> {
  try {
    using _locked = await lockDataDir(path);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message } = error as ConfigError;
    expect(message).toContain(path);
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error(`${path} was accepted`);
}

/** Another process that locks the data dir until it is killed. */
async function lockInAnotherProcess(path: string): Promise<ChildProcess> {
  const module = fileURLToPath(new URL('./data-dir.ts', import.meta.url));
  const program = `
    import { lockDataDir } from ${JSON.stringify(module)};
    const locked = await lockDataDir(${JSON.stringify(path)});
    process.stdout.write('locked');
    setInterval(() => locked, 1_000);
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe('locking a data dir', () => {
  test('creates it with its parent folders', async () => {
    const path = join(folder, 'a/b/data');
    using locked = await lockDataDir(path);
    expect(locked.isNew).toBe(true);
    expect(await modeOf(path)).toBe(privateMode);
    expect(await modeOf(join(path, 'format'))).toBe(0o600);
    expect(await readFile(join(path, 'format'), 'utf8')).toBe('1\n');
  });

  test('recognises one that was used before', async () => {
    (await lockDataDir(folder))[Symbol.dispose]();
    using again = await lockDataDir(folder);
    expect(again.isNew).toBe(false);
  });

  test('closes it to other users, also if it is from before', async () => {
    await mkdir(join(folder, 'warehouse/parts'), { recursive: true });
    const old = ['format', 'lock', 'warehouse/1.parquet', 'warehouse/parts/2.parquet'];
    for (const name of old) await writeFile(join(folder, name), name === 'format' ? '1' : '');
    await symlink('/etc', join(folder, 'elsewhere'));
    await writeFile(join(folder, 'program'), '', { mode: 0o755 });
    await chmod(folder, 0o755);

    using _locked = await lockDataDir(folder);
    await mkdir(join(folder, 'later'));
    await writeFile(join(folder, 'later/3.parquet'), '');

    expect(await modeOf(folder)).toBe(privateMode);
    for (const name of [...old, 'later/3.parquet', 'tributary.pid']) {
      expect([name, await modeOf(join(folder, name))]).toEqual([name, 0o600]);
    }
    for (const name of ['warehouse', 'warehouse/parts', 'later', 'program']) {
      expect([name, await modeOf(join(folder, name))]).toEqual([name, 0o700]);
    }
    expect(await modeOf('/etc')).toBe(0o755);
  });

  test('refuses a second owner and names the first', async () => {
    using _locked = await lockDataDir(folder);
    expect(await refusal(folder)).toBe(
      `TRIBUTARY_DATA_DIR ${folder} is in use by process ${process.pid}`,
    );
  });

  test('succeeds for exactly one of many concurrent attempts', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(folder)));
    const taken = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(taken).toHaveLength(1);
    taken[0]!.value[Symbol.dispose]();
  });

  test('excludes other processes until the owner is killed', async () => {
    const owner = await lockInAnotherProcess(folder);
    expect(await refusal(folder)).toContain(`is in use by process ${owner.pid}`);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    using locked = await lockDataDir(folder);
    expect(locked.isNew).toBe(false);
  });

  test('stays in force after a second owner was refused', async () => {
    const owner = await lockInAnotherProcess(folder);
    for (let round = 0; round < 3; round++) await refusal(folder);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
  });
});

describe('a data dir is refused', () => {
  test('if a newer version wrote it, and it stays unchanged', async () => {
    await writeFile(join(folder, 'format'), '2\n');
    expect(await refusal(folder)).toMatch(
      /has format 2 of a newer Tributary, but this version supports only format 1$/,
    );
    expect(await readFile(join(folder, 'format'), 'utf8')).toBe('2\n');
    expect(await refusal(folder)).toMatch(/format 2/);
  });

  test('if a newer version has used it', async () => {
    (await lockDataDir(folder))[Symbol.dispose]();
    await recordVersion(folder, '0.1.0');
    (await lockDataDir(folder))[Symbol.dispose]();
    await recordVersion(folder, '99.1.0');
    await recordVersion(folder, '99.0.0');
    expect(await refusal(folder)).toMatch(
      /was used by Tributary 99\.1\.0, which is newer than this version, \d+\.\d+\.\d+\. Run 99\.1\.0 or newer/,
    );
  });

  test('if its format file is invalid', async () => {
    await writeFile(join(folder, 'format'), 'nonsense');
    expect(await refusal(folder)).toMatch(/invalid format file: "nonsense" is not a number$/);
  });

  test('if the path is a file or below a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await refusal(file)).toMatch(/is not writable: it is not a folder$/);
    expect(await refusal(join(file, 'data'))).toMatch(/it is not a folder$/);
  });

  test('if its lock file is not a lock', async () => {
    await writeFile(join(folder, 'lock'), 'not a database, and long enough to be one'.repeat(20));
    expect(await refusal(folder)).toMatch(/cannot be locked: file is not a database$/);
  });

  test('if it is not writable', async () => {
    await chmod(folder, 0o555);
    expect(await unprivileged(() => refusal(folder))).toMatch(
      /is not writable: permission denied$/,
    );
    await chmod(folder, 0o700);
  });

  describe.runIf(machineHas('root'))('on a disk that', () => {
    test('is read-only', async () => {
      await using disk = await mountDisk('ro,size=200m');
      expect(await refusal(disk.path)).toMatch(/is not writable: the file system is read-only$/);
    });

    test('is nearly full', async () => {
      await using disk = await mountDisk('size=16m');
      expect(await refusal(disk.path)).toMatch(
        /has only 1[56] MiB free, at least 128 MiB are required$/,
      );
    });

    test('is completely full', async () => {
      await using disk = await mountDisk('size=1m');
      await writeFile(join(disk.path, 'filler'), Buffer.alloc(1024 * 1024));
      expect(await refusal(disk.path)).toMatch(/is not writable: the disk is full$/);
    });
  });
});

describe('the admin token', () => {
  test('is generated once, in a file that only its owner can read', async () => {
    const token = await readOrCreateAdminToken(folder, null);
    expect(token).toMatch(/^trib_admin_[\w-]{43}$/);
    expect(await readOrCreateAdminToken(folder, null)).toBe(token);
    const file = join(folder, 'admin-token');
    expect(await readFile(file, 'utf8')).toBe(`${token}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('can be replaced for the next start, by a file of the same mode', async () => {
    await readOrCreateAdminToken(folder, null);
    await replaceAdminToken(folder, 'trib_admin_another');
    expect(await readOrCreateAdminToken(folder, null)).toBe('trib_admin_another');
    expect((await stat(join(folder, 'admin-token'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['admin-token']);
  });

  test('is the setting if there is one, and no file is written', async () => {
    expect(await readOrCreateAdminToken(folder, 'chosen-by-the-operator')).toBe(
      'chosen-by-the-operator',
    );
    await expect(stat(join(folder, 'admin-token'))).rejects.toThrow('ENOENT');
  });

  test('is never empty: an empty file is replaced', async () => {
    await writeFile(join(folder, 'admin-token'), '\n');
    const token = await readOrCreateAdminToken(folder, null);
    expect(token).toMatch(/^trib_admin_/);
    expect(await readOrCreateAdminToken(folder, null)).toBe(token);
  });

  test('is not replaced if it cannot be read', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    await expect(readOrCreateAdminToken(folder, null)).rejects.toThrow(
      `${join(folder, 'admin-token')} cannot be read: it is not a folder`,
    );
  });
});

describe('the secret key', () => {
  test('is generated once', async () => {
    const keys = await readOrCreateSecretKeys(folder, null);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    await bindDataDir(folder, 'service');
    expect(await readOrCreateSecretKeys(folder, null)).toEqual(keys);
  });

  test.each(['missing', 'empty'])('is never replaced if it is %s later', async (fault) => {
    const file = join(folder, 'secret-key');
    await readOrCreateSecretKeys(folder, null);
    await bindDataDir(folder, 'service');
    await (fault === 'missing' ? rm(file) : writeFile(file, ''));
    await expect(readOrCreateSecretKeys(folder, null)).rejects.toThrow(
      `${file} is missing or empty, but this data dir is already in use`,
    );
    expect(await readOrCreateSecretKeys(folder, ['from the setting'])).toEqual([
      'from the setting',
    ]);
  });

  test('is on disk before it is used, and so is its entry in the folder', async () => {
    // `flush` of writeFile and sync of a folder both use the prototype of all file handles.
    await using probe = await open(folder);
    const handles = Object.getPrototypeOf(probe) as FileHandle;
    const synced: string[] = [];
    const realSync = handles.sync;
    const spy = vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push(await readlink(`/proc/self/fd/${this.fd}`));
      return realSync.call(this);
    });
    await readOrCreateSecretKeys(folder, null).finally(() => spy.mockRestore());
    expect(synced).toEqual([expect.stringContaining(join(folder, 'secret-key.')), folder]);
  });
});

describe('a data dir used by several processes', () => {
  test('gets exactly one mark, and no other file is left', async () => {
    const marks = await Promise.all(Array.from({ length: 5 }, () => readOrCreateMark(folder)));
    expect(new Set(marks).size).toBe(1);
    expect(await readOrCreateMark(folder)).toBe(marks[0]);
    expect(await readdir(folder)).toEqual(['mark']);
  });

  test('belongs to the first service that uses it', async () => {
    const services = ['first', 'second', 'third'];
    const outcomes = await Promise.allSettled(services.map((id) => bindDataDir(folder, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const first = outcomes.findIndex(({ status }) => status === 'fulfilled');
    await bindDataDir(folder, services[first]!);
    await expect(bindDataDir(folder, 'fourth')).rejects.toThrow('belongs to another service');
  });
});
