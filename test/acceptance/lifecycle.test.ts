import { execFile } from 'node:child_process';
import { readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { machineHas } from '../support/requirements.ts';
import { adminTokenOf, apiOf, deviceFile } from './api.ts';
import {
  checkout,
  descendants,
  type ServiceOptions,
  startService,
  stillRunning,
  temporaryFolder,
  until,
} from './service.ts';

const run = promisify(execFile);

describe('the first start', () => {
  test.runIf(machineHas('curl'))(
    'prints three commands that upload, import and watch when copied',
    async () => {
      await using folder = await temporaryFolder();
      const dataDir = join(folder.path, 'data');
      await using service = await startService({ dataDir, firstStart: true });
      expect(service.readyMs).toBeLessThan(15_000);

      const commands = service.printed().match(/^ {2}.*(npx|curl) .*$/gm) ?? [];
      expect(commands).toHaveLength(3);
      const shell = async (command: string) =>
        (await run('sh', ['-c', command], { cwd: checkout })).stdout;
      expect(await shell(commands[0] ?? '')).toContain('partner-1/devices.csv');
      expect(JSON.parse(await shell(`${commands[1]} -s`))).toEqual({ import_log_id: 1 });
      const [log] = await until('the import to be done', async () => {
        const logs = JSON.parse(await shell(`${commands[2]} -s`));
        return logs[0].status === 2 && logs;
      });
      expect(log).toMatchObject({ unique_devices: '1000', total_rows: '1200', errors: null });
    },
  );

  test('shows the sandbox key once, and never again', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    {
      await using first = await startService({ dataDir });
      expect(first.printed()).toMatch(/trib_key_/);
    }
    await using second = await startService({ dataDir });
    expect(second.readyMs).toBeLessThan(5_000);
    expect(second.printed()).not.toMatch(/trib_key_/);
  });
});

describe('Ctrl-C', { concurrent: true }, () => {
  test('stops everything within 5 seconds and leaves no process behind', async () => {
    await using folder = await temporaryFolder();
    const service = await startService({ dataDir: join(folder.path, 'data') });
    const below = await descendants(service.pid);
    expect(below.map((entry) => entry.command).join('\n')).toMatch(/main\.ts api[\s\S]*worker/);

    const before = Date.now();
    // A terminal signals the whole group, and npm sends its own besides.
    service.signal('SIGINT');
    service.signal('SIGINT');
    expect(await service.exited).toBe(0);
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(await stillRunning(below)).toEqual([]);
  });

  test('while an import runs gives the job back, and the next start finishes it', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const world = await startWithPartner(dataDir);
    await world.put('big.csv', deviceFile(300_000, 'k'));
    const { import_log_id } = await world.api.queueImport(world.apiKey, 'big.csv', 1);
    world.service.signal('SIGINT');
    expect(await world.service.exited).toBe(0);

    await using service = await startService({ dataDir });
    const log = await apiOf(service).ended(world.apiKey, import_log_id);
    expect(log).toMatchObject({ status: 2, unique_devices: '300000' });
  });
});

describe('after kill -9', { concurrent: true }, () => {
  test.each([
    ['the API', /main\.ts api/],
    ['the worker', /main\.ts worker/],
    ['the database', /postgres -D/],
  ])('of %s the service recovers by itself within 20 seconds', async (_, pattern) => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const world = await startWithPartner(dataDir);
    await using _service = world.service;
    await world.put('devices.csv', deviceFile(100_000, 'k'));
    const { import_log_id } = await world.api.queueImport(world.apiKey, 'devices.csv', 1);
    const killed = (await descendants(world.service.pid)).find(({ command }) =>
      pattern.test(command),
    );
    process.kill(killed?.pid ?? 0, 'SIGKILL');

    const log = await world.api.ended(world.apiKey, import_log_id, 20_000);
    expect(log).toMatchObject({ status: 2, unique_devices: '100000', total_rows: '100000' });
    const [attribute] = await world.api.attributes(world.apiKey);
    expect(attribute?.unique_devices).toBe(100_000);
  });

  test('of the supervisor its processes end by themselves, and the next start recovers', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const world = await startWithPartner(dataDir);
    const below = await descendants(world.service.pid);
    world.service.signal('SIGKILL');
    await world.service.exited;

    await using service = await startService({ dataDir });
    expect(await apiOf(service).attributes(world.apiKey)).toHaveLength(1);
    expect(await stillRunning(below)).toEqual([]);
  });

  test('of everything at once the next start recovers', async () => {
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
});

describe.runIf(machineHas('root'))('under root', { concurrent: true }, () => {
  test('a data dir below a private folder works, and is found again', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'private', 'data');
    await run('mkdir', ['-m', '0700', join(folder.path, 'private')]);
    try {
      const world = await startWithPartner(dataDir, { firstStart: true });
      world.service.signal('SIGTERM');
      await world.service.exited;

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

  test('an ordinary user without any privilege runs it too', async () => {
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
  });
});

/** What runs, where another user can reach it, whatever lies above this checkout. On a disk, not in memory. */
async function copyCheckout(to: string): Promise<void> {
  await run('mkdir', [to]);
  const parts = ['package.json', 'src', 'node_modules'].map((name) => join(checkout, name));
  // Linked where that can be done: the modules are half a gigabyte.
  await run('cp', ['-al', ...parts, to]).catch(() => run('cp', ['-a', ...parts, to]));
  await run('chmod', ['-R', 'a+rX', to]);
}

/** A running service with a partner that has one attribute, `k`. */
async function startWithPartner(dataDir: string, options: Partial<ServiceOptions> = {}) {
  const service = await startService({ dataDir, port: await freePort(), ...options });
  const api = apiOf(service);
  const adminToken = await adminTokenOf(dataDir);
  const { partner_id, apiKey } = await api.createPartner(adminToken, 'acme');
  await api.createAttribute(apiKey, { name: 'K', partner_foreign_key: 'k' });
  const put = (key: string, content: string) => api.putObject(adminToken, partner_id, key, content);
  return { service, api, apiKey, put };
}
