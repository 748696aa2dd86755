import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../config/settings.ts';

const program = fileURLToPath(new URL('../process/compile-threads-program.ts', import.meta.url));

/**
 * Fills the compile cache with the programs of all threads, in a process of its own. Each thread that
 * finds them missing loads the compiler itself: 15 MB of memory that it keeps, and 0.2 s of CPU time.
 */
export async function compileThreads(env: Environment, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, program], {
    env,
    stdio: 'ignore',
    signal,
  });
  // If it fails, threads compile for themselves.
  await once(child, 'exit').catch(() => {});
  signal.throwIfAborted();
}
