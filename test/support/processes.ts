import { readdir, readFile } from 'node:fs/promises';

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The descendants of a process, nearest first. */
export async function descendants(of: number): Promise<ProcessEntry[]> {
  const all = await processes();
  const found: ProcessEntry[] = [];
  for (let parents = new Set([of]); parents.size > 0; ) {
    const children = all.filter((entry) => parents.has(entry.parent));
    found.push(...children);
    parents = new Set(children.map((entry) => entry.pid));
  }
  return found;
}

async function processes(): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const [state, parent] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
      if (state === undefined || state === 'Z') return [];
      return [{ pid: Number(pid), parent: Number(parent), command: command.replaceAll('\0', ' ') }];
    }),
  );
  return entries.flat();
}

/** The processes that still run. A reused process ID does not count. */
export async function stillRunning(entries: readonly ProcessEntry[]): Promise<ProcessEntry[]> {
  const now = await processes();
  return entries.filter((entry) =>
    now.some(({ pid, command }) => pid === entry.pid && command === entry.command),
  );
}
