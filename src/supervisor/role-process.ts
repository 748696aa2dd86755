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
/**
 * A small young generation: the API collects its garbage often, in pauses of a few milliseconds. With V8's
 * default, pauses took 10 to 30 ms. `bin/tributary` has the same option.
 */
const apiOptions = ['--max-semi-space-size=2'];
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
  const child = fork(mainFile, [role], {
    ...(env && { env: { ...env } }),
    execArgv: [...process.execArgv, ...(role === 'api' ? apiOptions : [])],
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
