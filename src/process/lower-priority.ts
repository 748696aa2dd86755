import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const workerNiceness = 10;

/** Keeps the API quick while files are loaded. New threads inherit the priority. */
export function lowerPriority(): void {
  // A process with an even lower priority is not allowed to raise it.
  const niceness = Math.max(getPriority(), workerNiceness);
  setPriority(niceness);
  // On Linux this changes one thread only, and the threads of zlib and the garbage collector already run.
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness);
}

/**
 * Gives the sessions of this worker the priority of the worker, so that they do not delay the sessions of the
 * API. Only on a server that is reached by a socket file, because others may be on another machine.
 */
export function lowerSessionPriority(
  pid: number,
  databaseUrl: string,
  niceness: number = getPriority(),
): void {
  const isHere = new URL(databaseUrl).searchParams.get('host')?.startsWith('/') ?? false;
  if (!isHere || process.platform !== 'linux') return;
  try {
    const isSession = readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres:');
    if (isSession && getPriority(pid) < niceness) setPriority(pid, niceness);
  } catch {
    // It belongs to another user, or runs in another container.
  }
}
