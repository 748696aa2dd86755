import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The seconds `sort -u` takes for a file, with two threads and enough memory for all lines. */
export async function secondsOfSort(path: string, scratch: string): Promise<number> {
  const output = join(scratch, 'sorted');
  const before = performance.now();
  const child = spawn(
    'sort',
    [
      '--unique',
      '--parallel=2',
      '--buffer-size=4G',
      `--temporary-directory=${scratch}`,
      '-o',
      output,
      path,
    ],
    { env: { ...process.env, LC_ALL: 'C' }, stdio: 'inherit' },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('sort failed');
  const seconds = (performance.now() - before) / 1_000;
  await rm(output);
  return seconds;
}
