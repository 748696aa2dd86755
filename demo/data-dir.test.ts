import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeDataDir } from '../src/data-dir/data-dir.ts';
import { emptyDataDir, readSummary, writeSummary } from './data-dir.ts';

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tributary-demo-'));
  folder = join(parent, 'demo-data');
});
afterEach(() => rm(parent, { recursive: true }));

test('a folder that the demo did not make is refused, and nothing in it touched', async () => {
  await mkdir(folder);
  await writeFile(join(folder, 'precious'), '');
  await expect(emptyDataDir(folder)).rejects.toThrow('holds something else than a demo');
  expect(await readdir(folder)).toEqual(['precious']);
});

test('one that it made is emptied, with the database that a link leads to', async () => {
  await emptyDataDir(folder);
  const fresh = await readdir(folder);
  const staged = join(parent, 'staged');
  await mkdir(join(staged, 'data'), { recursive: true });
  await symlink(staged, join(folder, 'postgres'));
  await mkdir(join(folder, 'objects', 'ab'), { recursive: true });
  await writeSummary(folder, { audiences: [] });

  await emptyDataDir(folder);
  expect(await readdir(folder)).toEqual(fresh);
  expect(await readdir(parent)).toEqual(['demo-data']);
});

test('one that a service holds is refused', async () => {
  await emptyDataDir(folder);
  using _held = await takeDataDir(folder);
  const before = await readdir(folder);
  await expect(emptyDataDir(folder)).rejects.toThrow('is in use by process');
  expect(await readdir(folder)).toEqual(before);
});

test('the summary is for its owner only, and there once it was written', async () => {
  await emptyDataDir(folder);
  expect(await readSummary(folder)).toBeUndefined();
  await writeSummary(folder, { email: 'somebody' });
  expect(await readSummary(folder)).toEqual({ email: 'somebody' });
  expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600);
});
