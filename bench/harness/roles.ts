import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedServer } from '../../src/records/database/embedded/server.ts';
import { startSlowStorage } from '../../test/browser/support/slow-storage.ts';
import { freePort } from '../../test/support/free-port.ts';
import { callAs } from './service.ts';
import { makeFolder } from './world.ts';

/** A service whose processes are started separately, with one PostgreSQL. */
export interface Roles extends AsyncDisposable {
  /** Calls the API with a token, or with a partner's key. */
  as(token: string): ReturnType<typeof callAs>;
  readonly adminToken: string;
  putObject(partnerId: number, name: string, content: Buffer): Promise<void>;
  startWorker(): Promise<Role>;
  /** Changes the bytes per second of every download from the partners' buckets. */
  limitRate(bytesPerSecond: number): void;
}

export interface Role extends AsyncDisposable {
  /** The log lines so far. */
  logged(): readonly LogLine[];
}

interface LogLine {
  readonly msg: string;
  readonly time: string;
  readonly job?: number;
}

/** The region of the partners' buckets, whose endpoint limits the bytes per second. */
export const pacedRegion = 'us-east-1';

export async function startRoles(
  bytesPerSecond: number,
  settings: Readonly<Record<string, string>>,
): Promise<Roles> {
  await using starting = new AsyncDisposableStack();
  const folder = await makeFolder();
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const database = await startEmbeddedServer(folder);
  starting.defer(() => database.stop());
  const storage = starting.use(await startSlowStorage());
  storage.limitRate(bytesPerSecond);
  const [port, s3Port] = [await freePort(), await freePort()];
  storage.setTarget(`http://127.0.0.1:${s3Port}`);
  const adminToken = randomBytes(32).toString('hex');
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    TRIBUTARY_DATA_DIR: join(folder, 'data'),
    TRIBUTARY_SECRET_KEY: randomBytes(32).toString('hex'),
    TRIBUTARY_ADMIN_TOKEN: adminToken,
    TRIBUTARY_PORT: String(port),
    TRIBUTARY_S3_PORT: String(s3Port),
    TRIBUTARY_RATE_LIMIT: '1000000',
    TRIBUTARY_PARTNER_S3_ENDPOINTS: JSON.stringify({ [pacedRegion]: storage.endpoint }),
    ...settings,
  };
  starting.use(await startRole(['api'], env));
  const url = `http://127.0.0.1:${port}`;
  const resources = starting.move();

  return {
    as: (token) => callAs({ url }, token),
    adminToken,
    async putObject(partnerId, name, content) {
      const answer = await fetch(`${url}/admin/v1/partners/${partnerId}/objects/${name}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${adminToken}` },
        body: new Uint8Array(content),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    limitRate: storage.limitRate,
    startWorker: () => startRole(['worker', '--concurrency', '1'], env),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Starts `tributary api` or `tributary worker` and waits until it is ready. */
async function startRole(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Role> {
  const child = spawn(process.execPath, ['src/cli/tributary.ts', ...command], {
    cwd: resolve(import.meta.dirname, '../..'),
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'close');
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  while (!text.includes('"ready"')) {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} exited: ${text}`);
    await sleep(20);
  }
  return {
    logged: () =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as LogLine),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
