import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';
import { programFile } from '../../support/program.ts';
import { until } from '../until.ts';
import { keepProcess } from './kept-process.ts';
import { openDataDir } from './open-data-dir.ts';
import type { Backups } from './world.ts';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../../..');

type Settings = Readonly<Record<string, string>>;

/** The `tributary backup` command, with the settings of the service. */
export function createFilesBackups(folder: string, target: string, settings: Settings): Backups {
  const backup = (argv: readonly string[], env: Settings = settings) =>
    run(process.execPath, [programFile('src/cli/tributary.ts'), 'backup', ...argv], {
      cwd: checkout,
      env: { ...process.env, ...env },
      maxBuffer: 1 << 28,
    });
  let restores = 0;

  return {
    target,

    async create() {
      try {
        const { stdout } = await backup(['create', '--json']);
        return (JSON.parse(stdout) as { set: string }).set;
      } catch (error) {
        // A fault hit it.
        return { failure: String((error as { stderr?: string }).stderr ?? error).trim() };
      }
    },

    async verify(set) {
      const { stdout } = await backup(['verify', join(target, set)]).catch(
        (error: { stdout: string }) => error,
      );
      return stdout;
    },

    async remove(set) {
      await backup(['remove', join(target, set)]);
    },

    async restore(set) {
      const dataDir = join(folder, 'restored');
      await backup(['restore', join(target, set), '--into', dataDir]);
      const [port, s3Port] = [await freePort(), await freePort()];
      const [url, endpoint] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${s3Port}`];
      const log = join(folder, `restored-${++restores}.log`);
      const service = keepProcess(
        [programFile('src/process/main.ts')],
        {
          ...settings,
          TRIBUTARY_DATA_DIR: dataDir,
          TRIBUTARY_PORT: String(port),
          TRIBUTARY_S3_PORT: String(s3Port),
          TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify({ 'us-east-1': endpoint }),
          TRIBUTARY_BACKUP_TARGET: '',
        },
        log,
      );
      await until('the restored service to start', async () => {
        const ready = await fetch(`${url}/readyz`).catch(() => undefined);
        return ready?.ok;
      });
      return {
        url,
        endpoint,
        async stopAndOpen() {
          await service[Symbol.asyncDispose]();
          return openDataDir(dataDir);
        },
        async [Symbol.asyncDispose]() {
          await service[Symbol.asyncDispose]();
          await rm(dataDir, { recursive: true, force: true });
        },
      };
    },
  };
}
