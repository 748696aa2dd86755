import { globSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compileThreads } from './compile-threads.ts';

const source = join(import.meta.dirname, '..');

test('the compile cache gets the programs of all threads', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-compile-cache-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: folder };
  await compileThreads(env, new AbortController().signal);
  expect(readdirSync(folder, { recursive: true }).length).toBeGreaterThan(50);

  const program = await readFile(join(source, 'process/compile-threads-program.ts'), 'utf8');
  const threads = globSync('**/*-thread.ts', { cwd: source }).filter(
    (path) => !path.includes('testing/'),
  );
  expect(threads.length).toBeGreaterThan(0);
  for (const path of threads) expect(program).toContain(`import '../${path}';`);
});

test('a stop ends the compilation', async () => {
  await expect(compileThreads({}, AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
    'stopped',
  );
});
