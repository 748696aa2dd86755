import { setTimeout as sleep } from 'node:timers/promises';
import { descendants } from '../../support/processes.ts';
import { until } from '../until.ts';

/** Finds running processes; none if they are not running at the moment. */
export type Find = () => Promise<readonly number[]>;

/** The first process below another one whose command matches. */
export function below(root: () => number | undefined, command: RegExp): Find {
  return async () => {
    const pid = root();
    const entries = pid === undefined ? [] : await descendants(pid);
    const found = entries.find((entry) => command.test(entry.command));
    return found ? [found.pid] : [];
  };
}

/** Waits until the processes run, because an earlier fault may have ended them. */
export async function send(what: string, find: Find, signal: NodeJS.Signals): Promise<number[]> {
  const pids = await until(`${what} to run`, async () => {
    const found = await find();
    return found.length > 0 && found;
  });
  for (const pid of pids) signalTo(pid, signal);
  return [...pids];
}

/** Stops the processes for this long without ending them. */
export async function freeze(what: string, find: Find, ms: number): Promise<void> {
  const pids = await send(what, find, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) signalTo(pid, 'SIGCONT');
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited.
  }
}
