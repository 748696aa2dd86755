import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../config/settings.ts';
import type { RunningProcess } from './restarting-process.ts';

export const roles = ['api', 'worker'] as const;
/** A worker starts an isolated worker itself, when it needs one. */
export type Role = (typeof roles)[number] | 'isolated-worker';

/** The one message that a role's process sends to its supervisor. */
export type RoleReport = { readonly ready: true } | { readonly failed: string };

const mainFile = fileURLToPath(new URL('../process/main.ts', import.meta.url));
/** How the processes of a role are started. `bin/tributary` does the same. */
interface Launch {
  readonly nodeOptions: readonly string[];
  /** What the operator sets has precedence. */
  readonly env: Environment;
}

/**
 * With a small young generation, the API collects its garbage often, in pauses of a few milliseconds
 * instead of 10 to 30 ms.
 */
export const apiLaunch: Launch = { nodeOptions: ['--max-semi-space-size=2'], env: {} };

/**
 * Without these, a worker that loaded 50 audiences and refreshed their reports used 140 MB more memory, and
 * not less CPU time: V8 lets the young generation grow to 96 MB, and glibc neither returns large arrays to
 * the system nor uses what one thread freed for another.
 */
export const workerLaunch: Launch = {
  nodeOptions: ['--max-semi-space-size=4'],
  env: {
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '1048576',
    MALLOC_TRIM_THRESHOLD_: '4194304',
  },
};
/** A start takes 2 seconds, and over 20 on a machine whose cores are all busy. */
const startTimeoutMs = 60_000;
/** The rest of the five seconds that a stop may take is for the database. */
const stopTimeoutMs = 2_500;

/**
 * Starts `node src/process/main.ts <role>` and waits until it is ready. If the signal aborts first,
 * the process is killed: it has nothing to release yet. Without an environment it inherits this
 * process's own.
 */
export async function startRole(
  role: Role,
  env: Environment | null,
  signal: AbortSignal,
): Promise<RunningProcess> {
  signal.throwIfAborted();
  const launch = role === 'api' ? apiLaunch : workerLaunch;
  const child = fork(mainFile, [role], {
    ...(env && { env: { ...launch.env, ...env } }),
    execArgv: [...process.execArgv, ...launch.nodeOptions],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(() => {});
  const report = await Promise.race([
    once(child, 'message').then(([message]) => message as RoleReport),
    exited.then((): RoleReport => ({ failed: `the ${role} process exited before it was ready` })),
    timeout(startTimeoutMs, signal).then(
      (): RoleReport => ({
        failed: `the ${role} process was not ready within ${startTimeoutMs / 1000} seconds`,
      }),
    ),
  ]);
  if ('failed' in report) {
    await stop(child, exited, signal);
    throw new Error(report.failed);
  }
  return { exited, stop: (forced) => stop(child, exited, forced) };
}

async function stop(
  child: ChildProcess,
  exited: Promise<void>,
  forced: AbortSignal,
): Promise<void> {
  child.kill('SIGTERM');
  await Promise.race([exited, timeout(stopTimeoutMs, forced)]);
  child.kill('SIGKILL');
  await exited;
}

/** Resolves after this time, or as soon as the signal aborts. */
function timeout(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { ref: false, signal }).catch(() => {});
}
