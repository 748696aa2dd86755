import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const launcher = resolve(import.meta.dirname, '../bin/tributary');
let folder: string;

/** A package whose own Node was removed, as in the container image. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-launcher-'));
  for (const part of ['bin', 'dist/src/cli', 'good', 'bad']) {
    await mkdir(join(folder, part), { recursive: true });
  }
  await cp(launcher, join(folder, 'bin/tributary'));
  const program = 'console.log(process.argv.slice(2).join());';
  await writeFile(join(folder, 'dist/src/cli/tributary.js'), program);
  await symlink(process.execPath, join(folder, 'good/node'));
  await writeFile(join(folder, 'bad/node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true }));

function run(nodeFolder: string): Promise<{ stdout: string; stderr: string }> {
  const env = { PATH: `${join(folder, nodeFolder)}:/usr/bin:/bin` };
  return new Promise((done) => {
    execFile(join(folder, 'bin/tributary'), ['api', 'x'], { env }, (_, stdout, stderr) =>
      done({ stdout, stderr }),
    );
  });
}

test('without the Node of the package, the command runs on the one on the PATH', async () => {
  expect(await run('good')).toEqual({ stdout: 'api,x\n', stderr: '' });
});

test('without a Node that is new enough, it says so', async () => {
  const { stdout, stderr } = await run('bad');
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^tributary: Node 24 is missing\..*\n$/);
});
