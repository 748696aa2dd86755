import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Find } from './signals.ts';

/** A process that is started again whenever it exits, as systemd does. */
export interface KeptProcess extends AsyncDisposable {
  /** Undefined while it is not running. */
  pid(): number | undefined;
  readonly find: Find;
  /** Asks it to stop, and returns when it has exited and the next one was started. */
  restart(signalTo: 'process' | 'group'): Promise<void>;
}

const checkout = resolve(import.meta.dirname, '../../..');
const pauseMs = 300;
/** The service promises 5 seconds, which another test checks. The rest is for a busy machine. */
const stopsWithinMs = 60_000;

/** Appends standard output and standard error to the log file. */
export function keepProcess(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  logFile: string,
): KeptProcess {
  const log = openSync(logFile, 'a');
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  const kept = keep();

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Leads a process group. The kernel kills it if this program dies.
      child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, ...argv], {
        cwd: checkout,
        env: { ...process.env, ...env },
        detached: true,
        stdio: ['ignore', log, log],
      });
      await once(child, 'exit');
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  function isRunning(process: ChildProcess | undefined): process is ChildProcess & { pid: number } {
    return process?.pid !== undefined && process.exitCode === null && process.signalCode === null;
  }

  async function stop(signalTo: 'process' | 'group'): Promise<void> {
    const stopped = child;
    if (!isRunning(stopped)) return;
    const exited = once(stopped, 'exit').then(() => true);
    process.kill(signalTo === 'group' ? -stopped.pid : stopped.pid, 'SIGTERM');
    if (await Promise.race([exited, sleep(stopsWithinMs, false, { ref: false })])) return;
    throw new Error(`${argv.join(' ')} did not stop within ${stopsWithinMs / 1000} seconds`);
  }

  async function dispose(): Promise<void> {
    stopping.abort();
    await stop('process');
    await kept;
    closeSync(log);
  }

  let disposed: Promise<void> | undefined;
  const pid = () => (isRunning(child) ? child.pid : undefined);
  return {
    pid,
    find: async () => [pid()].filter((found) => found !== undefined),
    restart: stop,
    [Symbol.asyncDispose]: () => (disposed ??= dispose()),
  };
}
