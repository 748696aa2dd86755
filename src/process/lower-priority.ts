import { readdirSync } from 'node:fs';
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
