import { link, lstat, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../domain/errors.ts';

/** How long a staged home stays after its last use, even if its data dir is gone. */
const graceMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Marks a staged home as used by the data dir that links to it. The mark is one file with two names, a
 * hard link beside the staged home and one in the data dir. When the data dir is deleted, one name is
 * left. A data dir that is moved keeps its name. Without a mark, for example because the two are on
 * different file systems, a staged home is never removed.
 */
export async function markStagedHome(staged: string, home: string): Promise<void> {
  const [mark, inDataDir] = [`${staged}.mark`, `${home}.mark`];
  await writeFile(mark, '', { flag: 'a', mode: 0o600 });
  const now = new Date();
  await utimes(mark, now, now);
  if (await areSameFile(mark, inDataDir)) return;
  await rm(inDataDir, { force: true });
  try {
    await link(mark, inDataDir);
  } catch (error) {
    await rm(mark);
    if (!unlinkable.has(codeOf(error) ?? '')) throw error;
  }
}

/** Hard links are impossible between file systems, and on some file systems. */
const unlinkable = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK']);

async function areSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([lstat(one), lstat(other).catch(() => null)]);
  return a.ino === b?.ino && a.dev === b?.dev;
}

/** Removes the staged homes whose data dir was deleted, and returns how many. */
export async function removeAbandonedHomes(root: string, now = Date.now()): Promise<number> {
  const names = await readdir(root).catch(() => []);
  let removed = 0;
  for (const name of names) {
    if (!/^data-[0-9a-f]{16}\.mark$/.test(name)) continue;
    const mark = join(root, name);
    const staged = mark.slice(0, -'.mark'.length);
    const { nlink, mtimeMs } = await stat(mark);
    if (nlink > 1 || now - mtimeMs < graceMs || (await isServed(staged))) continue;
    await rm(staged, { recursive: true, force: true });
    // Last, so that an interrupted removal is continued.
    await rm(mark);
    removed++;
  }
  return removed;
}

/** Whether a PostgreSQL server runs on it. */
async function isServed(staged: string): Promise<boolean> {
  const text = await readFile(join(staged, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
