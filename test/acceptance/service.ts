import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { programFile } from '../support/program.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { keepMoving } from './moving.ts';
import { externalSettings, placesOf } from './outside.ts';

const run = promisify(execFile);

export const checkout = resolve(import.meta.dirname, '../..');

export interface ServiceOptions {
  readonly dataDir: string;
  readonly port?: number;
  readonly s3Port?: number;
  readonly env?: Record<string, string>;
  readonly uid?: number;
  readonly gid?: number;
  /** The folder of the code, if not this checkout. */
  readonly code?: string;
  /** What starts it, if not the program that `npm start` runs. */
  readonly command?: readonly string[];
  /** Creates its database itself. Otherwise it gets a prepared empty one, which is faster. */
  readonly firstStart?: boolean;
}

export interface Service extends AsyncDisposable {
  readonly url: string;
  /** The address of its S3 endpoint. */
  readonly s3Url: string;
  readonly pid: number;
  /** Its standard output so far; `logged` is standard error. */
  readonly printed: () => string;
  readonly logged: () => string;
  readonly readyMs: number;
  readonly exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

/** Starts the service as `npm start` does and waits until it prints its address. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const startedAt = Date.now();
  const ports = await choosePorts(options);
  if (!options.firstStart) await giveNewDatabase(options.dataDir);
  const { child, printed, logged, exited } = await launch({ ...options, ...ports });
  while (!printed().includes('Tributary listens on ')) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the service exited: ${logged()}`);
    }
    await sleep(20);
  }
  const scheme = options.env?.TRIBUTARY_TLS_CERT === undefined ? 'http' : 'https';
  const url = `${scheme}://127.0.0.1:${ports.port}`;
  const places = placesOf(options.dataDir);
  const moves = places.length > 1 ? keepMoving(url, options.dataDir, places) : undefined;
  return {
    url,
    s3Url: `${scheme}://127.0.0.1:${ports.s3Port}`,
    pid: child.pid as number,
    printed,
    logged,
    exited,
    readyMs: Date.now() - startedAt,
    signal: (name) => child.kill(name),
    async [Symbol.asyncDispose]() {
      await moves?.[Symbol.asyncDispose]();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Does nothing if the service has a database already or uses an external one. */
async function giveNewDatabase(dataDir: string): Promise<void> {
  const [provided, outside] = [inject('database'), inject('outside')];
  const home = join(dataDir, 'postgres');
  if (!provided || outside || existsSync(home)) return;
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await run('cp', ['-a', provided.newDatabase, home]);
}

/** Starts a service that is expected to refuse to start, and waits until it exits. */
export async function startRefused(
  options: ServiceOptions,
): Promise<{ code: number | null; printed: string; logged: string }> {
  const ports = await choosePorts(options);
  const { printed, logged, exited } = await launch({ ...options, ...ports });
  return { code: await exited, printed: printed(), logged: logged() };
}

interface Ports {
  readonly port: number;
  readonly s3Port: number;
}

async function choosePorts(options: ServiceOptions): Promise<Ports> {
  return {
    port: options.port ?? (await freePort()),
    s3Port: options.s3Port ?? (await freePort()),
  };
}

async function launch(options: ServiceOptions & Ports) {
  const { TRIBUTARY_TEST_REQUIRE: _, ...inherited } = process.env;
  const [program = '', ...args] = options.command ?? [
    process.execPath,
    options.code ? 'src/process/main.ts' : programFile('src/process/main.ts'),
  ];
  const child: ChildProcess = spawn(program, args, {
    cwd: options.code ?? checkout,
    env: {
      ...inherited,
      TRIBUTARY_DATA_DIR: options.dataDir,
      TRIBUTARY_PORT: String(options.port),
      TRIBUTARY_S3_PORT: String(options.s3Port),
      ...(await externalSettings(options.dataDir)),
      ...options.env,
    },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.gid ?? options.uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const collect = (name: 'stdout' | 'stderr') => {
    let text = '';
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    return () => text;
  };
  const printed = collect('stdout');
  const logged = collect('stderr');
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return { child, printed, logged, exited };
}

/** A folder for one test that any user can enter: in memory, or under another folder. */
export async function temporaryFolder(below?: string): Promise<AsyncDisposable & { path: string }> {
  const parent = below ?? (await quickFolder());
  const path = await realpath(await mkdtemp(join(parent, 'tributary-accept-')));
  await chmod(path, 0o711);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** The polling interval for states that last. At 50 ms the project `cluster` took 282 s of CPU, at this one 253 s. */
export const unhurriedMs = 150;

/** Waits patiently, because beside other tests six processes took more than 15 seconds to start. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  timeoutMs = 120_000,
  everyMs = 50,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`timeout after ${timeoutMs} ms waiting for ${what}`);
    await sleep(everyMs);
  }
}
