import type { Logger } from 'pino';
import { limits } from '../../domain/limits.ts';
import { isFolderMarker, type ObjectStore, type UploadedVersion } from '../../objects/port.ts';
import type { RetainedUploads } from '../../records/access/partners.ts';
import type { Records } from '../../records/records.ts';
import type { MaintenanceTask } from './maintenance.ts';

const everyMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
/** Submissions of the partner wait while these are deleted. */
const filesPerTransaction = 16;
const deleteTimeoutMs = 5_000;

interface ExpiryDependencies {
  readonly records: Records;
  readonly objects: Pick<ObjectStore, 'uploaded' | 'removeVersions'>;
  /** For how many days uploads of partners without a number of their own are kept. Null: for good. */
  readonly days: number | null;
  readonly log: Logger;
}

/**
 * Deletes uploaded files some days after they were last loaded, or uploaded if they never were. A file
 * that an open job may read stays. One process at a time does this.
 */
export function expireUploads({
  records,
  objects,
  days,
  log,
}: ExpiryDependencies): MaintenanceTask {
  return {
    name: 'delete expired uploads',
    everyMs,
    async run(shutdownSignal) {
      const deleted = { files: 0, bytes: 0 };
      await records.unlessLocked(
        'uploads',
        async (signal) => {
          await records.loadedFiles.prune(limits.uploadRetention.most);
          for (const partner of await records.partners.withUploadRetention(days)) {
            const { files, bytes } = await expire(partner, signal);
            deleted.files += files;
            deleted.bytes += bytes;
          }
        },
        shutdownSignal,
      );
      return deleted;
    },
  };

  async function expire(partner: RetainedUploads, signal: AbortSignal) {
    const since = new Date(Date.now() - partner.days * dayMs);
    const deleted = { files: 0, bytes: 0 };
    for await (const listed of objects.uploaded(partner.prefix)) {
      const page = listed.filter((version) => isOld(version, since));
      if (page.length === 0) continue;
      const unused = await records.loadedFiles.unused({ ...partner, keys: keysOf(page) }, since);
      const expired = page.filter(({ key }) => unused.has(key));
      for (let at = 0; at < expired.length; at += filesPerTransaction) {
        signal.throwIfAborted();
        const batch = expired.slice(at, at + filesPerTransaction);
        for (const { size } of await deleteUnused(partner, batch, since, signal)) {
          deleted.files += 1;
          deleted.bytes += size;
        }
      }
    }
    if (deleted.files > 0) {
      const { partnerId: partner_id } = partner;
      log.info({ partner_id, days: partner.days, ...deleted }, 'expired uploads deleted');
    }
    return deleted;
  }

  /** Looks again, while no job can be queued, whether the files are unused. */
  function deleteUnused(
    partner: RetainedUploads,
    versions: readonly UploadedVersion[],
    since: Date,
    signal: AbortSignal,
  ): Promise<UploadedVersion[]> {
    return records.inTransaction(async (tx) => {
      await tx.refuseNewerSchema();
      await tx.jobs.holdSubmissions(partner.partnerId);
      const keys = keysOf(versions);
      const unused = await tx.loadedFiles.unused({ ...partner, keys }, since);
      const removed = await objects.removeVersions(
        versions.filter(({ key }) => unused.has(key)),
        AbortSignal.any([signal, AbortSignal.timeout(deleteTimeoutMs)]),
      );
      await tx.loadedFiles.forget(keysOf(removed));
      return removed;
    });
  }
}

function isOld(version: UploadedVersion, since: Date): boolean {
  return version.modifiedAt < since && !isFolderMarker(version);
}

function keysOf(versions: readonly UploadedVersion[]): string[] {
  return versions.map(({ key }) => key);
}
