import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataDir } from '../src/data-dir/data-dir.ts';
import { emptyDataDir, readSummary, writeSummary } from './data-dir.ts';

let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tributary-demo-'));
  folder = join(parent, 'demo-data');
});
afterEach(() => rm(parent, { recursive: true }));

test('a folder that the demo did not create is refused and left unchanged', async () => {
  await mkdir(folder);
  await writeFile(join(folder, 'precious'), '');
  await expect(emptyDataDir(folder)).rejects.toThrow('was not created by the demo');
  expect(await readdir(folder)).toEqual(['precious']);
});

test('a folder of an earlier demo is emptied, including a linked database', async () => {
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

test('a folder that a service uses is refused', async () => {
  await emptyDataDir(folder);
  using _held = await lockDataDir(folder);
  const before = await readdir(folder);
  await expect(emptyDataDir(folder)).rejects.toThrow('is in use by process');
  expect(await readdir(folder)).toEqual(before);
});

test('the summary is readable by its owner only', async () => {
  await emptyDataDir(folder);
  expect(await readSummary(folder)).toBeUndefined();
  await writeSummary(folder, { email: 'somebody' });
  expect(await readSummary(folder)).toEqual({ email: 'somebody' });
  expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600);
});
