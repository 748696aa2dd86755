import { eachOf } from './each-of.ts';
import { readSetFiles } from './file-list.ts';
import { listSets, readManifest, removeManifest } from './manifest.ts';
import { BackupError, type BackupTarget, sharedFiles } from './target.ts';

export interface Removed {
  readonly sets: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

const filesAtOnce = 8;

/**
 * Removes sets, sets that were never finished, and the files that no other set needs. Call it while
 * no set is being made.
 */
export async function removeBackups(
  target: BackupTarget,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Removed> {
  const found = await listSets(target);
  const unknown = names.find((name) => !found.some(({ set }) => set === name));
  if (unknown) throw new BackupError(`${target.address} has no set ${unknown}`);
  for (const name of names) await removeManifest(target, name);

  const kept = new Set(
    found.filter(({ set, isComplete }) => isComplete && !names.includes(set)).map(({ set }) => set),
  );
  const needed = new Set<string>();
  // A damaged manifest ends it here: the files of that set are not known.
  for (const set of kept) {
    for (const { path } of await readSetFiles(target, await readManifest(target, set))) {
      needed.add(`${sharedFiles}/${path}`);
    }
  }
  const garbage: { path: string; size: number }[] = [];
  for await (const file of target.listSets()) {
    if (!kept.has(file.path.split('/', 1)[0]!)) garbage.push(file);
  }
  for await (const file of target.listFiles()) if (!needed.has(file.path)) garbage.push(file);
  await eachOf(garbage, filesAtOnce, ({ path }) => target.remove(path), signal);
  return {
    sets: names,
    files: garbage.length,
    bytes: garbage.reduce((sum, { size }) => sum + size, 0),
  };
}

/** The complete sets that are older than that many days, except the newest. */
export async function expiredSets(
  target: BackupTarget,
  days: number,
  now: Date,
): Promise<string[]> {
  const complete = (await listSets(target)).filter(({ isComplete }) => isComplete);
  const limit = now.getTime() - days * 24 * 60 * 60 * 1000;
  const expired: string[] = [];
  for (const { set } of complete.slice(0, -1)) {
    if (Date.parse((await readManifest(target, set)).taken_at) < limit) expired.push(set);
  }
  return expired;
}
