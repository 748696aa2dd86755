import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { machineHas } from '../../test/support/requirements.ts';
import { mountDisk } from '../../test/support/small-disk.ts';
import { unprivileged } from '../../test/support/unprivileged.ts';
import { ConfigError } from '../config/settings.ts';
import { bindDataDir, readOrMakeAdminToken, readOrMakeMark, takeDataDir } from './data-dir.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-data-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Why the data dir cannot be had, in its one line. */
async function refusal(path: string): Promise<string> {
  try {
    using _taken = await takeDataDir(path);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message } = error as ConfigError;
    expect(message).toContain(path);
    expect(message).not.toContain('\n');
    return message;
  }
  throw new Error(`${path} was taken`);
}

/** Another process that takes the data dir and holds it until it is killed. */
async function takenByAnotherProcess(path: string): Promise<ChildProcess> {
  const module = fileURLToPath(new URL('./data-dir.ts', import.meta.url));
  const program = `
    import { takeDataDir } from ${JSON.stringify(module)};
    const taken = await takeDataDir(${JSON.stringify(path)});
    process.stdout.write('taken');
    setInterval(() => taken, 1_000);
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe('taking a data dir', () => {
  test('makes it if it is not there, with the folders above it', async () => {
    const path = join(folder, 'a/b/data');
    using taken = await takeDataDir(path);
    expect(taken.isNew).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o711);
    expect(await readFile(join(path, 'format'), 'utf8')).toBe('1\n');
  });

  test('knows one that was used before', async () => {
    (await takeDataDir(folder))[Symbol.dispose]();
    using again = await takeDataDir(folder);
    expect(again.isNew).toBe(false);
  });

  test('is for one owner: a second is refused, and is told who has it', async () => {
    using _taken = await takeDataDir(folder);
    expect(await refusal(folder)).toBe(
      `TRIBUTARY_DATA_DIR ${folder} is in use by process ${process.pid}`,
    );
  });

  test('is for one of many who try at the same time', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => takeDataDir(folder)));
    const taken = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(taken).toHaveLength(1);
    taken[0]!.value[Symbol.dispose]();
  });

  test('holds against other processes, until the owner is killed', async () => {
    const owner = await takenByAnotherProcess(folder);
    expect(await refusal(folder)).toContain(`is in use by process ${owner.pid}`);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    using taken = await takeDataDir(folder);
    expect(taken.isNew).toBe(false);
  });

  test('does not end when a second owner was refused', async () => {
    const owner = await takenByAnotherProcess(folder);
    for (let round = 0; round < 3; round++) await refusal(folder);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
  });
});

describe('a data dir is refused', () => {
  test('if a newer version wrote it, and can be had by that version still', async () => {
    await writeFile(join(folder, 'format'), '2\n');
    expect(await refusal(folder)).toMatch(/format 2 of a newer Tributary, this one knows 1$/);
    expect(await readFile(join(folder, 'format'), 'utf8')).toBe('2\n');
    expect(await refusal(folder)).toMatch(/format 2/);
  });

  test('if its format cannot be told', async () => {
    await writeFile(join(folder, 'format'), 'nonsense');
    expect(await refusal(folder)).toMatch(/format file that says "nonsense"/);
  });

  test('if it is a file, or below one', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await refusal(file)).toMatch(/cannot be written to: it is not a folder$/);
    expect(await refusal(join(file, 'data'))).toMatch(/it is not a folder$/);
  });

  test('if its lock is no lock', async () => {
    await writeFile(join(folder, 'lock'), 'not a database, and long enough to be one'.repeat(20));
    expect(await refusal(folder)).toMatch(/cannot be locked: file is not a database$/);
  });

  test('if it may not be written to', async () => {
    await chmod(folder, 0o555);
    expect(await unprivileged(() => refusal(folder))).toMatch(
      /cannot be written to: permission denied$/,
    );
    await chmod(folder, 0o700);
  });

  describe.runIf(machineHas('root'))('on a disk that', () => {
    test('is read-only', async () => {
      await using disk = await mountDisk('ro,size=200m');
      expect(await refusal(disk.path)).toMatch(
        /cannot be written to: the file system is read-only$/,
      );
    });

    test('is nearly full', async () => {
      await using disk = await mountDisk('size=16m');
      expect(await refusal(disk.path)).toMatch(/has only 1[56] MiB free, at least 128 are needed$/);
    });

    test('has no room for a single byte more', async () => {
      await using disk = await mountDisk('size=1m');
      await writeFile(join(disk.path, 'filler'), Buffer.alloc(1024 * 1024));
      expect(await refusal(disk.path)).toMatch(/cannot be written to: the disk is full$/);
    });
  });
});

describe('the admin token', () => {
  test('is made once, for its owner’s eyes only, and stays', async () => {
    const token = await readOrMakeAdminToken(folder, null);
    expect(token).toMatch(/^trib_admin_[\w-]{43}$/);
    expect(await readOrMakeAdminToken(folder, null)).toBe(token);
    const file = join(folder, 'admin-token');
    expect(await readFile(file, 'utf8')).toBe(`${token}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('is the setting if there is one, and then nothing is written', async () => {
    expect(await readOrMakeAdminToken(folder, 'chosen-by-the-operator')).toBe(
      'chosen-by-the-operator',
    );
    await expect(stat(join(folder, 'admin-token'))).rejects.toThrow('ENOENT');
  });

  test('is never empty: a file that lost its content is written anew', async () => {
    await writeFile(join(folder, 'admin-token'), '\n');
    const token = await readOrMakeAdminToken(folder, null);
    expect(token).toMatch(/^trib_admin_/);
    expect(await readOrMakeAdminToken(folder, null)).toBe(token);
  });

  test('is not replaced because it cannot be read', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    await expect(readOrMakeAdminToken(folder, null)).rejects.toThrow(
      `${join(folder, 'admin-token')} cannot be read: it is not a folder`,
    );
  });
});

describe('among others, a data dir', () => {
  test('has one mark, whoever makes it, and nothing is left of those that came too late', async () => {
    const marks = await Promise.all(Array.from({ length: 5 }, () => readOrMakeMark(folder)));
    expect(new Set(marks).size).toBe(1);
    expect(await readOrMakeMark(folder)).toBe(marks[0]);
    expect(await readdir(folder)).toEqual(['mark']);
  });

  test('belongs to the service that came first', async () => {
    const services = ['first', 'second', 'third'];
    const outcomes = await Promise.allSettled(services.map((id) => bindDataDir(folder, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const first = outcomes.findIndex(({ status }) => status === 'fulfilled');
    await bindDataDir(folder, services[first]!);
    await expect(bindDataDir(folder, 'fourth')).rejects.toThrow('the data of another service');
  });
});
