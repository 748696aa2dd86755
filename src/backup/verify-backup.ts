import { messageOf } from '../domain/errors.ts';
import { eachOf } from './each-of.ts';
import { readSetFiles } from './file-list.ts';
import { listSets, type Manifest, readManifest } from './manifest.ts';
import { type Checked, measure } from './meter.ts';
import type { OnProgress } from './progress.ts';
import { BackupError, type BackupTarget, FileMissing, sharedFiles } from './target.ts';

export interface Verified {
  /** The sets that were read, oldest first. */
  readonly sets: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** One sentence for each damaged or missing file. */
  readonly problems: readonly string[];
  /** What sets lack because the service had lost it before. */
  readonly warnings: readonly string[];
}

const filesAtOnce = 4;

/** Reads one set, or all complete ones, and compares every byte with the checksums. */
export async function verifyBackups(
  target: BackupTarget,
  only: string | null,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Verified> {
  const sets = only === null ? await completeSets(target) : [only];
  const problems: string[] = [];
  const warnings: string[] = [];
  const expected = new Map<string, Checked & { path: string }>();
  for (const set of sets) {
    try {
      const manifest = await readManifest(target, set);
      for (const path of manifest.missing) {
        warnings.push(`${set}: the service had lost ${path} before the backup`);
      }
      for await (const file of filesOf(target, manifest)) {
        expected.set(`${file.path} ${file.sha256}`, file);
      }
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  let bytesTotal = 0;
  for (const { bytes } of expected.values()) bytesTotal += bytes;
  let bytesDone = 0;
  await eachOf(
    expected.values(),
    filesAtOnce,
    async ({ path, bytes, sha256 }) => {
      const found = await measure(target.open(path), (more) => {
        bytesDone += more;
        onProgress({ step: 'files', bytesDone, bytesTotal });
      }).catch((error) => {
        if (error instanceof FileMissing) return null;
        throw error;
      });
      if (!found) problems.push(`${path} is missing`);
      else if (found.bytes !== bytes || found.sha256 !== sha256) {
        problems.push(`${path} is damaged: its checksum differs from the manifest`);
      }
    },
    signal,
  );
  return { sets, files: expected.size, bytes: bytesDone, problems: problems.sort(), warnings };
}

/** The files of a set with their paths in the target. A damaged list is reported as one of its parts. */
async function* filesOf(target: BackupTarget, manifest: Manifest) {
  const { set, parts } = manifest;
  for (const part of parts) yield { ...part, path: `${set}/${part.path}` };
  const listed = await readSetFiles(target, manifest).catch((error) => {
    if (error instanceof BackupError || error instanceof FileMissing) return [];
    throw error;
  });
  for (const file of listed) yield { ...file, path: `${sharedFiles}/${file.path}` };
}

async function completeSets(target: BackupTarget): Promise<string[]> {
  const complete = (await listSets(target)).filter(({ isComplete }) => isComplete);
  if (complete.length === 0) throw new BackupError(`${target.address} holds no complete set`);
  return complete.map(({ set }) => set);
}
