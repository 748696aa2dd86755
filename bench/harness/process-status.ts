import { readFile, writeFile } from 'node:fs/promises';

/** How much memory a process has (VmRSS), or had at most (VmHWM). */
export async function statusBytes(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

/** Has the kernel take the peak of a process's memory (VmHWM) anew from now on. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}
