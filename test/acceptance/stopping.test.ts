import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { databaseOn, onServer } from '../support/database-server.ts';
import { freePort } from '../support/free-port.ts';
import { descendants } from '../support/processes.ts';
import { programFile } from '../support/program.ts';
import { checkout, temporaryFolder, until } from './service.ts';

const run = promisify(execFile);

/** A service in a process group of its own, as under systemd or in a terminal. It may not be ready yet. */
interface LaunchedService extends AsyncDisposable {
  readonly pid: number;
  readonly dataDir: string;
  readonly logged: () => string;
  readonly exited: Promise<number | null>;
  ready(): Promise<void>;
  /** The process id of a process of the service, as soon as there is one that is not excluded. */
  process(pattern: RegExp, other?: number): Promise<number>;
  logs(text: string): Promise<void>;
  /** Resolves when one of the paths in the data dir exists. */
  creates(...paths: string[]): Promise<void>;
}

interface LaunchOptions {
  /** Without it, the service creates its database itself. */
  readonly newDatabase?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
}

async function launch({
  newDatabase = true,
  env = {},
  command = [programFile('src/process/main.ts')],
}: LaunchOptions = {}): Promise<LaunchedService> {
  await using starting = new AsyncDisposableStack();
  const dataDir = join(starting.use(await temporaryFolder()).path, 'data');
  await mkdir(dataDir, { mode: 0o711 });
  const provided = inject('database');
  if (newDatabase) await run('cp', ['-a', provided.newDatabase, join(dataDir, 'postgres')]);
  const child = spawn(process.execPath, command, {
    cwd: checkout,
    env: {
      ...process.env,
      TRIBUTARY_DATA_DIR: dataDir,
      TRIBUTARY_PORT: String(await freePort()),
      TRIBUTARY_S3_PORT: String(await freePort()),
      ...env,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = child.pid as number;
  let [printed, logged] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    logged += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  starting.defer(async () => {
    // For a test that failed.
    for (const left of await leftovers(pid, dataDir)) kill(left, 'SIGKILL');
    await exited;
  });
  const resources = starting.move();
  const reaches = <T>(what: string, look: () => Promise<T | undefined | false>) =>
    until(what, look, 60_000, 5).catch((error: Error) => {
      throw new Error(`${error.message}; the service logged: ${logged}`);
    });
  return {
    pid,
    dataDir,
    logged: () => logged,
    exited,
    async ready() {
      await reaches('the service to be ready', async () => printed.includes('listens on'));
    },
    process: (pattern, other) =>
      reaches(
        `a process ${pattern}`,
        async () =>
          (await descendants(pid)).find((it) => pattern.test(it.command) && it.pid !== other)?.pid,
      ),
    async logs(text) {
      await reaches(`"${text}" in the log`, async () => logged.includes(text));
    },
    async creates(...paths) {
      const exists = () => paths.some((path) => existsSync(join(dataDir, path)));
      await reaches(paths.join(' or '), async () => exists());
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The processes that remain: those of its group, and PostgreSQL's, which work in the data dir. */
async function leftovers(group: number, dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
      const [state, , pgid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const ours = Number(pgid) === group || folder.startsWith(`${dataDir}/`);
      return ours && state !== 'Z' ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited in the meantime.
  }
}

type Send = (service: LaunchedService) => void | Promise<void>;

const ways: Record<string, Send> = {
  'SIGTERM to the supervisor': ({ pid }) => kill(pid, 'SIGTERM'),
  'SIGTERM to the process group': ({ pid }) => kill(-pid, 'SIGTERM'),
  'SIGINT to the supervisor': ({ pid }) => kill(pid, 'SIGINT'),
  'SIGINT to the process group': ({ pid }) => kill(-pid, 'SIGINT'),
  'SIGTERM to every process, also those of PostgreSQL': async ({ pid }) => {
    const all = await descendants(pid);
    for (const each of [pid, ...all.map((it) => it.pid)]) kill(each, 'SIGTERM');
  },
};

/** Sends the signal and returns the milliseconds until the exit. Nothing is left behind. */
async function stop(service: LaunchedService, send: Send): Promise<number> {
  const before = performance.now();
  await send(service);
  const code = await Promise.race([
    service.exited,
    until('the exit', async () => false, 10_000).catch(() => 'no exit'),
  ]);
  expect(code, service.logged()).toBe(0);
  const took = performance.now() - before;
  expect(took).toBeLessThan(5_000);
  const noneLeft = async () => (await leftovers(service.pid, service.dataDir)).length === 0;
  await until('the processes of the service to be gone', noneLeft, 1_000);
  return took;
}

const api = /main\.[jt]s api/;
const worker = /main\.[jt]s worker/;
const postgres = /postgres -D/;

/** Brings a service into a state in which a shutdown has to find every process. */
const states: Record<string, () => Promise<LaunchedService>> = {
  async 'creating its database'() {
    const service = await launch({ newDatabase: false });
    // A folder, because initdb can be gone between two looks at the processes of a busy machine.
    await service.creates(join('postgres', 'data.unfinished'), join('postgres', 'data'));
    return service;
  },
  async 'starting its processes'() {
    const service = await launch();
    await service.process(api);
    return service;
  },
  async 'waiting to restart the API'() {
    const service = await running();
    kill(await service.process(api), 'SIGKILL');
    await service.logs('process exited, restarting');
    return service;
  },
  async 'restarting the API'() {
    const service = await running();
    const first = await service.process(api);
    kill(first, 'SIGKILL');
    // Frozen, so that it is still starting when the signal arrives.
    kill(await service.process(api, first), 'SIGSTOP');
    return service;
  },
  async 'restarting the worker'() {
    const service = await running();
    const first = await service.process(worker);
    kill(first, 'SIGKILL');
    await service.process(worker, first);
    return service;
  },
  async 'recovering its database'() {
    const service = await running();
    const first = await service.process(postgres);
    const data = join(service.dataDir, 'postgres', 'data');
    // A standby recovers for ever.
    await writeFile(join(data, 'standby.signal'), '');
    await appendFile(join(data, 'postgresql.auto.conf'), 'hot_standby = off\n');
    kill(first, 'SIGKILL');
    await service.process(postgres, first);
    await service.process(/startup recovering/);
    return service;
  },
};

async function running(): Promise<LaunchedService> {
  const service = await launch();
  await service.ready();
  return service;
}

/** The host may delay the machine by seconds, so a time has three tries. */
const retry = 2;

describe('a running service', { concurrent: true, retry }, () => {
  test.each(Object.entries(ways))('stops within 5 seconds on %s', async (_, send) => {
    await using service = await running();
    await stop(service, send);
    expect(service.logged()).not.toContain('restarting');
    expect(service.logged()).not.toContain('killing');
  });
});

describe('a service stops within 5 seconds', { concurrent: true, retry }, () => {
  const both = ['SIGTERM to the supervisor', 'SIGTERM to the process group'];
  const cases = Object.entries(states).flatMap(([state, reach]) =>
    both.map((way) => [state, way, reach] as const),
  );
  test.each(cases)('while %s, on %s', async (_, way, reach) => {
    await using service = await reach();
    await stop(service, ways[way]!);
  });

  test.each([
    ['the service', [programFile('src/process/main.ts')]],
    ['a worker without a supervisor', [programFile('src/cli/tributary.ts'), 'worker']],
  ])('while %s waits for the migrations of another process', async (_, command) => {
    const { serverUrl } = inject('database');
    const name = `stopping_${command.length}`;
    await onServer(serverUrl, `create database ${name}`);
    const other = new pg.Client({ connectionString: databaseOn(serverUrl, name) });
    await other.connect();
    try {
      await other.query("select pg_advisory_lock(hashtext('tributary migrations'))");
      const env = {
        DATABASE_URL: databaseOn(serverUrl, name),
        TRIBUTARY_SECRET_KEY: 'a'.repeat(64),
        TRIBUTARY_ADMIN_TOKEN: 'b'.repeat(64),
      };
      await using service = await launch({ newDatabase: false, env, command });
      await until('the migration to wait', async () => {
        const { rows } = await other.query(
          "select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
        );
        return rows.length > 0;
      });
      await stop(service, ways['SIGTERM to the supervisor']!);
    } finally {
      await other.end();
    }
  });

  test('although a process does not react', async () => {
    await using service = await running();
    kill(await service.process(api), 'SIGSTOP');
    kill(await service.process(worker), 'SIGSTOP');
    expect(await stop(service, ways['SIGTERM to the supervisor']!)).toBeGreaterThan(1_000);
  });
});

test('a second signal stops a service at once', { retry }, async () => {
  await using service = await running();
  kill(await service.process(api), 'SIGSTOP');
  kill(service.pid, 'SIGTERM');
  await service.logs('stopping');
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(await stop(service, ways['SIGTERM to the supervisor']!)).toBeLessThan(1_000);
  expect(service.logged()).toContain('second signal');
});
