import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export interface BenchService extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly adminToken: string;
}

const port = 18_080;

/** Starts the service as `npm start` does, on other ports. */
export async function startBenchService(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchService> {
  const child = spawn(process.execPath, ['src/process/main.ts'], {
    cwd: resolve(import.meta.dirname, '../..'),
    env: {
      ...process.env,
      TRIBUTARY_DATA_DIR: dataDir,
      TRIBUTARY_PORT: String(port),
      TRIBUTARY_S3_PORT: String(port + 1),
      TRIBUTARY_LOG_LEVEL: 'error',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('the service did not start'))),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    adminToken: (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim(),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Calls the API with a token or a partner's key. Throws on an error response. */
export function callAs({ url }: Pick<BenchService, 'url'>, token: string) {
  return async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
}

/** A process of the service. */
export async function processOf(service: BenchService, role: 'api' | 'worker'): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const isChild = new RegExp(`^PPid:\\s+${service.pid}$`, 'm').test(status);
    if (isChild && command.includes(`main.ts\0${role}\0`)) return Number(pid);
  }
  throw new Error(`the process of the ${role} was not found`);
}
