import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTrash, putBackFromTrash } from './trash.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-trash-'));
});
afterEach(() => rm(folder, { recursive: true }));

const trashed = () => readdir(join(folder, 'trash'), { recursive: true });

async function put(name: string, text = name): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

test('files stay in the trash for the given number of days', async () => {
  const trash = openTrash(folder, 7);
  await trash.add([await put('a'), await put('b'), join(folder, 'missing')]);
  expect(await readdir(folder)).toEqual(['trash']);
  const [added] = await readdir(join(folder, 'trash'));
  expect(await readdir(join(folder, 'trash', added!))).toEqual(['a', 'b']);
  expect(await trash.removeExpired()).toBe(0);

  const daysAgo = (days: number) =>
    new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString().replaceAll(':', '.');
  const [young, old] = [daysAgo(6.9), daysAgo(7.1)].map((name) => join(folder, 'trash', name));
  await rename(join(folder, 'trash', added!), young!);
  expect(await trash.removeExpired()).toBe(0);
  await rename(young!, old!);
  await mkdir(join(folder, 'trash', 'kept by hand'));
  expect(await trash.removeExpired()).toBe(2);
  expect(await trashed()).toEqual(['kept by hand']);
});

test('known files are put back, and never replace another file', async () => {
  const trash = openTrash(folder, 7);
  await trash.add([await put('known'), await put('unknown'), await put('taken', 'old')]);
  await put('taken', 'new');
  const known = async (names: readonly string[]) =>
    new Set(names.filter((name) => name !== 'unknown'));
  expect(await putBackFromTrash(folder, known)).toBe(1);
  expect(await readFile(join(folder, 'known'), 'utf8')).toBe('known');
  expect(await readFile(join(folder, 'taken'), 'utf8')).toBe('new');
  expect((await trashed()).filter((name) => name.includes('known'))).toHaveLength(1);
});

test('a folder without trash has nothing to put back', async () => {
  expect(await openTrash(folder, 7).removeExpired()).toBe(0);
  expect(await putBackFromTrash(folder, async (names) => new Set(names))).toBe(0);
});
