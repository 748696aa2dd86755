import { execFile } from 'node:child_process';
import { readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { machineHas } from '../support/requirements.ts';
import { apiOf } from './api.ts';
import { checkout, startService, temporaryFolder } from './service.ts';
import { startWithPartner } from './service-with-partner.ts';

const run = promisify(execFile);

describe.runIf(machineHas('root'))('under root', { concurrent: true }, () => {
  test('a data dir below a private folder works, also on the next start', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'private', 'data');
    await run('mkdir', ['-m', '0700', join(folder.path, 'private')]);
    try {
      const world = await startWithPartner(dataDir, { firstStart: true });
      world.service.signal('SIGTERM');
      await world.service.exited;
      expect(await readableByOthers(dataDir)).toEqual([]);

      await using service = await startService({ dataDir });
      expect(await apiOf(service).attributes(world.apiKey)).toHaveLength(1);
    } finally {
      const staged = await readlink(join(dataDir, 'postgres'));
      expect(staged).toMatch(/^\/var\/lib\/tributary\/data-/);
      await rm(staged, { recursive: true });
    }
  });

  test('a checkout below a private folder works', async () => {
    await using folder = await temporaryFolder(tmpdir());
    const code = join(folder.path, 'private', 'checkout');
    await run('mkdir', ['-m', '0700', join(folder.path, 'private')]);
    await copyCheckout(code);
    await using service = await startService({
      dataDir: join(folder.path, 'data'),
      code,
      firstStart: true,
    });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  test('an unprivileged user can run the service', async () => {
    await using folder = await temporaryFolder(tmpdir());
    const user = { uid: 65_534, gid: 65_534 };
    const code = join(folder.path, 'checkout');
    await copyCheckout(code);
    await run('install', [
      '-d',
      '-m',
      '0700',
      '-o',
      '65534',
      '-g',
      '65534',
      join(folder.path, 'home'),
    ]);
    const dataDir = join(folder.path, 'home', 'data');
    await using service = await startService({ dataDir, code, firstStart: true, ...user });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await readableByOthers(join(dataDir, '..'))).toEqual([]);
  });
});

/** Whatever in a data dir another user could read, write or enter. Links always look open. */
async function readableByOthers(dataDir: string): Promise<string[]> {
  const { stdout } = await run('find', [
    dataDir,
    '-mindepth',
    '1',
    '!',
    '-type',
    'l',
    '-perm',
    '/077',
  ]);
  return stdout.split('\n').filter((line) => line !== '');
}

/** Copies the code to where another user can reach it. On a disk, not in memory. */
async function copyCheckout(to: string): Promise<void> {
  await run('mkdir', [to]);
  const parts = ['package.json', 'src', 'node_modules'].map((name) => join(checkout, name));
  // Hard links if possible: the modules are half a gigabyte.
  await run('cp', ['-al', ...parts, to]).catch(() => run('cp', ['-a', ...parts, to]));
  await run('chmod', ['-R', 'a+rX', to]);
}
