import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { markStagedHome, removeAbandonedHomes } from './staged-homes.ts';

let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'staged-homes-'));
  root = join(folder, 'staging');
});
afterEach(() => rm(folder, { recursive: true }));

const day = 24 * 60 * 60 * 1000;
const inAWeek = () => Date.now() + 8 * day;

/** A staged home with a database, and the data dir that links to it. */
async function install(name: string): Promise<{ dataDir: string; staged: string; home: string }> {
  const dataDir = join(folder, name);
  const staged = join(root, `data-${Buffer.from(name.padEnd(8)).toString('hex')}`);
  const home = join(dataDir, 'postgres');
  await mkdir(dataDir);
  await mkdir(join(staged, 'data'), { recursive: true });
  await writeFile(join(staged, 'data', 'PG_VERSION'), '18');
  await markStagedHome(staged, home);
  await symlink(staged, home);
  return { dataDir, staged, home };
}

test('a staged home is removed a week after its data dir was deleted', async () => {
  const [gone, kept] = [await install('gone'), await install('kept')];
  await rm(gone.dataDir, { recursive: true });
  expect(await removeAbandonedHomes(root)).toBe(0);
  expect(await removeAbandonedHomes(root, inAWeek())).toBe(1);
  expect([gone, kept].map(({ staged }) => existsSync(staged))).toEqual([false, true]);
  expect(existsSync(`${gone.staged}.mark`)).toBe(false);
  expect(await removeAbandonedHomes(root, inAWeek())).toBe(0);
});

test('a data dir that was moved, or restored from a copy and started, keeps its home', async () => {
  const { dataDir, staged, home } = await install('moved');
  await rename(dataDir, `${dataDir}-elsewhere`);
  expect(await removeAbandonedHomes(root, inAWeek())).toBe(0);
  await rm(`${dataDir}-elsewhere`, { recursive: true });
  await mkdir(dataDir);
  // The copy of the mark is another file.
  await writeFile(`${home}.mark`, '');
  await symlink(staged, home);
  await markStagedHome(staged, home);
  expect(await removeAbandonedHomes(root, inAWeek())).toBe(0);
});

test('a home without a mark, or with a running server, stays', async () => {
  const [unmarked, served] = [await install('unmarked'), await install('served')];
  await rm(`${unmarked.staged}.mark`);
  await writeFile(join(served.staged, 'data', 'postmaster.pid'), `${process.pid}\n`);
  for (const { dataDir } of [unmarked, served]) await rm(dataDir, { recursive: true });
  expect(await removeAbandonedHomes(root, inAWeek())).toBe(0);
  expect([unmarked, served].map(({ staged }) => existsSync(staged))).toEqual([true, true]);
});

test('nothing is removed if there is no staging folder', async () => {
  expect(await removeAbandonedHomes(join(folder, 'none'))).toBe(0);
});
