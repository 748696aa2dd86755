import { openTarget } from '../backup/open-target.ts';
import { expiredSets } from '../backup/remove-backups.ts';
import {
  type BackupService,
  createRecorded,
  failAbandoned,
  removeRecorded,
  verifyRecorded,
} from '../backup/run-recorded.ts';
import { BackupError, type BackupTarget } from '../backup/target.ts';
import { messageOf } from '../domain/errors.ts';
import type { MaintenanceTask } from '../jobs/worker/maintenance.ts';
import type { BackupEntry } from '../records/database/backups.ts';

const everyMs = 5_000;
const hourMs = 60 * 60 * 1000;
/** After a failure, the next attempt waits this long. */
const retryMs = 15 * 60 * 1000;
const silent = () => {};

/** Does what was requested through the API, and makes and removes sets by the settings. */
export function backupTask(service: BackupService): MaintenanceTask {
  const { config, records } = service;
  const { target: address, hours, days, storage } = config.backup;

  return {
    name: 'backup',
    everyMs,
    async run(signal) {
      await failAbandoned(records, signal);
      const entry = await records.backups.nextPending();
      if (entry) {
        await using target = await openTarget(entry.target, storage).catch(async (error) => {
          await records.backups.refuse(entry.backupId, messageOf(error));
          throw error;
        });
        return await carryOut(entry, target, signal);
      }
      if (address === null || !(await isDue())) return {};
      await using target = await openTarget(address, storage);
      const { files } = await createRecorded(service, target, null, silent, signal);
      const removed = await removeExpired(target, signal);
      return { files, removed };
    },
  };

  async function carryOut(
    entry: BackupEntry,
    target: BackupTarget,
    signal: AbortSignal,
  ): Promise<Record<string, number>> {
    switch (entry.action) {
      case 'create': {
        const { files } = await createRecorded(service, target, entry, silent, signal);
        return { files };
      }
      case 'verify': {
        const { setName } = entry;
        const { files } = await verifyRecorded(service, target, setName, entry, silent, signal);
        return { files };
      }
      case 'remove': {
        const { setName: set } = entry;
        if (set === null) throw new BackupError('the request names no set');
        const { files } = await removeRecorded(service, target, { set }, entry, signal);
        return { files };
      }
    }
  }

  /** Several workers may find it due; the lock admits one at a time. */
  async function isDue(): Promise<boolean> {
    const { success, attempt } = await records.backups.latest(address);
    const since = (time: Date | null | undefined) =>
      time ? Date.now() - time.getTime() : Number.POSITIVE_INFINITY;
    if (attempt?.state === 'running') return false;
    if (attempt?.state === 'failed' && since(attempt.endedAt) < retryMs) return false;
    return since(success?.startedAt) > hours * hourMs;
  }

  async function removeExpired(target: BackupTarget, signal: AbortSignal): Promise<number> {
    if ((await expiredSets(target, days, new Date())).length === 0) return 0;
    const { sets } = await removeRecorded(service, target, { olderThanDays: days }, null, signal);
    return sets.length;
  }
}
