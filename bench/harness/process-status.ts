import { readdir, readFile, writeFile } from 'node:fs/promises';

/** The memory of a process (VmRSS) or its peak (VmHWM). */
export async function statusBytes(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

const ticksPerSecond = 100;

/** The CPU time of a process and its threads so far. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  return (await cpuSeconds(pid)).own;
}

async function cpuSeconds(pid: number): Promise<{ own: number; ofEndedChildren: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (field: number) => Number(fields[field]) / ticksPerSecond;
  return { own: seconds(11) + seconds(12), ofEndedChildren: seconds(13) + seconds(14) };
}

/** The CPU time of a process and of all processes that it started, also of those that ended. */
export async function cpuSecondsOfAll(pid: number): Promise<number> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (child: number): boolean => {
    const parent = parents.get(child);
    return child === pid || (parent !== undefined && parent > 0 && isBelow(parent));
  };
  let seconds = 0;
  for (const child of parents.keys()) {
    if (!isBelow(child)) continue;
    const spent = await cpuSeconds(child).catch(() => null);
    if (spent) seconds += spent.own + spent.ofEndedChildren;
  }
  return seconds;
}

/** Child processes of this process, by the name of their program. */
export async function childrenNamed(name: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const isChild = new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status);
    if (isChild && command.split('\0')[0]!.endsWith(name)) found.push(pid);
  }
  return found;
}

/** Resets the memory peak (VmHWM) of a process. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}
