import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { descendants } from '../support/processes.ts';
import { apiOf, deviceFile } from './api.ts';
import { tributary } from './command-line.ts';
import { startService, temporaryFolder, until } from './service.ts';
import { startWithPartner } from './service-with-partner.ts';

describe('the next start', { concurrent: true }, () => {
  test('finishes a job that Ctrl-C interrupted', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const world = await startWithPartner(dataDir);
    await world.put('big.csv', deviceFile(300_000, 'k'));
    const { import_log_id } = await world.api.queueImport(world.apiKey, 'big.csv', 1);
    world.service.signal('SIGINT');
    expect(await world.service.exited).toBe(0);

    const recorded = async () =>
      Number(await readFile(join(dataDir, 'changes'), 'utf8').catch(() => '0'));
    const before = await recorded();
    await using service = await startService({ dataDir });
    const log = await apiOf(service).ended(world.apiKey, import_log_id);
    expect(log).toMatchObject({ status: 2, unique_devices: '300000' });
    // The worker records its commit, so that an older database is refused from now on.
    await until('the change to be recorded', async () => (await recorded()) > before);
  });

  test('recovers after kill -9 of everything at once', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const world = await startWithPartner(dataDir);
    const below = await descendants(world.service.pid);
    for (const { pid } of below) process.kill(pid, 'SIGKILL');
    world.service.signal('SIGKILL');
    await world.service.exited;

    await using service = await startService({ dataDir });
    expect(await apiOf(service).attributes(world.apiKey)).toHaveLength(1);
  });

  test('runs a job of a backup, on another machine', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const world = await startWithPartner(dataDir);
    await world.put('big.csv', deviceFile(100_000, 'k'));
    const { import_log_id } = await world.api.queueImport(world.apiKey, 'big.csv', 1);
    const settings = {
      TRIBUTARY_DATA_DIR: dataDir,
      TRIBUTARY_BACKUP_TARGET: join(folder.path, 'backups'),
    };
    const backup = (...argv: string[]) => tributary(world.service, ['backup', ...argv], settings);
    const made = await backup('create');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('and the database') });
    world.service.signal('SIGTERM');
    await world.service.exited;

    const restored = join(folder.path, 'restored');
    expect((await backup('restore', '--into', restored)).code).toBe(0);
    await using service = await startService({ dataDir: restored });
    const log = await apiOf(service).ended(world.apiKey, import_log_id);
    expect(log).toMatchObject({ status: 2, unique_devices: '100000' });
  });
});
