import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout } from '../../acceptance/service.ts';

const run = promisify(execFile);
const console = join(checkout, 'console');
const dist = join(console, 'dist');

/** Builds the console if its sources have changed since the last build. */
export async function buildConsole(): Promise<void> {
  const built = await changedAt(join(dist, 'index.html')).catch(() => 0);
  if (built >= (await lastChange())) return;
  const vite = join(checkout, 'node_modules/vite/bin/vite.js');
  // With NODE_ENV of the tests this would build React's development version.
  const env = { ...process.env, NODE_ENV: 'production' };
  await run(process.execPath, [vite, 'build', 'console'], { cwd: checkout, env });
}

async function lastChange(): Promise<number> {
  const entries = await readdir(console, { recursive: true, withFileTypes: true });
  const sources = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(dist));
  return Math.max(...(await Promise.all(sources.map(changedAt))));
}

async function changedAt(file: string): Promise<number> {
  return (await stat(file)).mtimeMs;
}
