import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../config/settings.ts';
import type { RunningProcess } from './restarting-process.ts';

export const roles = ['api', 'worker'] as const;
export type Role = (typeof roles)[number];

/** The one message that a role's process sends to its supervisor. */
export type RoleReport = { readonly ready: true } | { readonly failed: string };

const mainFile = fileURLToPath(new URL('../process/main.ts', import.meta.url));
const startTimeoutMs = 20_000;
const stopTimeoutMs = 3_000;

/** Starts `node src/process/main.ts <role>` and waits until it is ready. */
export async function startRole(role: Role, env: Environment): Promise<RunningProcess> {
  const child = fork(mainFile, [role], {
    env: { ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(() => {});
  const report = await Promise.race([
    once(child, 'message').then(([message]) => message as RoleReport),
    exited.then((): RoleReport => ({ failed: `the ${role} process exited before it was ready` })),
    sleep(
      startTimeoutMs,
      { failed: `the ${role} process was not ready within ${startTimeoutMs / 1000} seconds` },
      { ref: false },
    ),
  ]);
  if ('failed' in report) {
    await stop(child, exited);
    throw new Error(report.failed);
  }
  return { exited, stop: () => stop(child, exited) };
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  await Promise.race([exited, sleep(stopTimeoutMs, undefined, { ref: false })]);
  child.kill('SIGKILL');
  await exited;
}
