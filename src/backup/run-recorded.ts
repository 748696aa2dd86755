import type { Config } from '../config/config.ts';
import { messageOf } from '../domain/errors.ts';
import type { BackupEntry } from '../records/database/backups.ts';
import { fileHold } from '../records/database/file-hold.ts';
import type { BackupAction } from '../records/database/schema.ts';
import type { Records } from '../records/records.ts';
import { createBackup } from './create-backup.ts';
import type { Manifest } from './manifest.ts';
import type { OnProgress } from './progress.ts';
import { expiredSets, type Removed, removeBackups } from './remove-backups.ts';
import { newSetName } from './set-name.ts';
import { BackupError, type BackupTarget } from './target.ts';
import { type Verified, verifyBackups } from './verify-backup.ts';

/** What a backup of a running service needs. */
export interface BackupService {
  readonly config: Config;
  readonly records: Records;
  readonly database: { readonly url: string; readonly schema: string };
}

/** What is done, for the record: an entry that waits, or something new. */
type Task = Pick<BackupEntry, 'backupId'> | null;

const recordEveryMs = 2_000;
/** Sets are made, read and removed one at a time. */
const backupLock = 'backup';

/** Makes a set and records its outcome. */
export function createRecorded(
  { config, records, database }: BackupService,
  target: BackupTarget,
  task: Task,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Manifest> {
  const set = newSetName(new Date());
  return recorded(records, 'create', target, set, task, signal, async (report, locked) => {
    const creation = {
      config,
      database,
      target,
      set,
      filesAreHeld: records.objectIndex.blobsAreHeld,
      onProgress: both(onProgress, report),
    };
    const manifest = await records.exclusively(
      fileHold,
      (held) => createBackup(creation, held),
      locked,
    );
    const { files, bytes, new_bytes: newBytes } = sizeOf(manifest);
    return { outcome: manifest, problem: problemOf(manifest), size: { files, bytes, newBytes } };
  });
}

export function sizeOf({ files, file_bytes, new_bytes, parts }: Manifest) {
  const own = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return { files, bytes: file_bytes + own, new_bytes: new_bytes + own };
}

/** What a complete set lacks. */
export function problemOf({ missing }: Manifest): string | null {
  return missing.length === 0
    ? null
    : `The service has lost ${missing.length} files that its database needs, so the backup lacks them. The first one is ${missing[0]}.`;
}

/** Reads sets and records the outcome. Damaged files are a failure. */
export function verifyRecorded(
  { records }: Pick<BackupService, 'records'>,
  target: BackupTarget,
  set: string | null,
  task: Task,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Verified> {
  return recorded(records, 'verify', target, set, task, signal, async (report, locked) => {
    const verified = await verifyBackups(target, set, both(onProgress, report), locked);
    const { files, bytes, problems } = verified;
    return {
      outcome: verified,
      problem: problems.length === 0 ? null : problems.slice(0, 10).join('; '),
      hasFailed: problems.length > 0,
      size: { files, bytes, newBytes: 0 },
    };
  });
}

/** Removes a set, or the sets that are older than that many days. */
export function removeRecorded(
  { records }: Pick<BackupService, 'records'>,
  target: BackupTarget,
  choice: { readonly set: string } | { readonly olderThanDays: number },
  task: Task,
  signal: AbortSignal,
): Promise<Removed> {
  const set = 'set' in choice ? choice.set : null;
  return recorded(records, 'remove', target, set, task, signal, async (_, locked) => {
    const sets =
      'set' in choice ? [choice.set] : await expiredSets(target, choice.olderThanDays, new Date());
    const removed =
      sets.length === 0 ? { sets, files: 0, bytes: 0 } : await removeBackups(target, sets, locked);
    const { files, bytes } = removed;
    return { outcome: removed, problem: null, size: { files, bytes, newBytes: 0 } };
  });
}

/** Ends the entries of processes that died. */
export async function failAbandoned(records: Records, signal: AbortSignal): Promise<void> {
  if (!(await records.backups.isRunning())) return;
  await records.unlessLocked(backupLock, () => records.backups.failAbandoned(), signal);
}

interface Ended<T> {
  readonly outcome: T;
  readonly problem: string | null;
  readonly hasFailed?: boolean;
  readonly size: { readonly files: number; readonly bytes: number; readonly newBytes: number };
}

/** One thing at a time is done with backups. The signal of `work` also aborts when the lock is lost. */
async function recorded<T>(
  records: Records,
  action: BackupAction,
  target: BackupTarget,
  set: string | null,
  task: Task,
  signal: AbortSignal,
  work: (report: OnProgress, locked: AbortSignal) => Promise<Ended<T>>,
): Promise<T> {
  const { backups } = records;
  const done = await records.unlessLocked(backupLock, workUnderLock, signal);
  if (done) return done.outcome;
  throw new BackupError('Another backup is being made, verified or removed. Try again later.');

  async function workUnderLock(locked: AbortSignal): Promise<Ended<T>> {
    const id = await backups.begin(task?.backupId ?? { action, target: target.address }, set);
    let reportedAt = Number.NEGATIVE_INFINITY;
    const report: OnProgress = ({ bytesDone, bytesTotal }) => {
      if (performance.now() - reportedAt < recordEveryMs) return;
      reportedAt = performance.now();
      // If the database is unavailable, the lock is lost soon.
      backups.recordProgress(id, bytesDone, bytesTotal).catch(() => {});
    };
    try {
      const ended = await work(report, locked);
      const state = ended.hasFailed ? 'failed' : 'done';
      await backups.finish(id, state, ended.problem, ended.size);
      return ended;
    } catch (error) {
      const reason = signal.aborted ? 'It was interrupted.' : messageOf(error);
      await backups.finish(id, 'failed', reason).catch(() => {});
      throw error;
    }
  }
}

function both(first: OnProgress, second: OnProgress): OnProgress {
  return (progress) => {
    first(progress);
    second(progress);
  };
}
