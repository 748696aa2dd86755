import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { machineHas } from '../support/requirements.ts';
import { startRefused, startService, temporaryFolder } from './service.ts';

const run = promisify(execFile);

/** One line that names the cause, exit code 1 and no welcome text. */
function expectRefusal(
  refusal: { code: number | null; printed: string; logged: string },
  line: RegExp,
): void {
  expect(refusal.logged).toMatch(/^tributary: .+\n$/);
  expect(refusal.logged).toMatch(line);
  expect(refusal).toMatchObject({ code: 1, printed: '' });
}

describe('the start is refused with one clear line', () => {
  test('for an invalid setting', async () => {
    await using folder = await temporaryFolder();
    const refusal = await startRefused({
      dataDir: folder.path,
      env: { TRIBUTARY_PORT: 'eighty' },
    });
    expectRefusal(refusal, /TRIBUTARY_PORT must be a port number from 1 to 65535, not "eighty"/);
  });

  test('for a port in use', async () => {
    await using folder = await temporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const refusal = await startRefused({ dataDir: folder.path, port });
    expectRefusal(refusal, new RegExp(`TRIBUTARY_PORT ${port} is unavailable: another`));
    other.close();
  });

  test('for a data dir in use', async () => {
    await using folder = await temporaryFolder();
    await using service = await startService({ dataDir: folder.path });
    const refusal = await startRefused({ dataDir: folder.path });
    expectRefusal(
      refusal,
      new RegExp(`TRIBUTARY_DATA_DIR ${folder.path} is in use by process ${service.pid}`),
    );
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  test('for a data dir that is a file', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    await writeFile(dataDir, '');
    expectRefusal(await startRefused({ dataDir }), /TRIBUTARY_DATA_DIR .* it is not a folder/);
  });

  test('for a data dir of a newer version', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'format'), '99\n');
    expectRefusal(await startRefused({ dataDir: folder.path }), /has format 99 of a newer/);
  });

  test('for a database that is down', async () => {
    await using folder = await temporaryFolder();
    const refusal = await startRefused({
      dataDir: folder.path,
      env: { DATABASE_URL: `postgres://someone:hunter2@127.0.0.1:${await freePort()}/db` },
    });
    expectRefusal(refusal, /DATABASE_URL cannot be used: connect ECONNREFUSED/);
    expect(refusal.logged).not.toContain('hunter2');
  });

  describe.runIf(machineHas('root'))('on a separate file system', () => {
    test('for a read-only disk', async () => {
      await using mounted = await mount('ro,size=64m');
      const refusal = await startRefused({ dataDir: join(mounted.path, 'data') });
      expectRefusal(refusal, /TRIBUTARY_DATA_DIR .* the file system is read-only/);
    });

    test('for a full disk', async () => {
      await using mounted = await mount('size=16m');
      const refusal = await startRefused({ dataDir: join(mounted.path, 'data') });
      expectRefusal(refusal, /TRIBUTARY_DATA_DIR .* has only \d+ MiB free/);
    });
  });
});

async function mount(options: string): Promise<AsyncDisposable & { path: string }> {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'mount');
  await mkdir(path);
  await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await run('umount', [path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}
