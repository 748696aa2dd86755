import type { ObjectStore } from '../../objects/port.ts';
import type { Records } from '../../records/records.ts';
import type { MaintenanceTask } from '../worker/maintenance.ts';
import { attemptOf, storedPrefix } from './stored-rows.ts';

const everyMs = 10 * 60 * 1000;

/** Deletes rows that were stored for attempts that have ended, for example because a worker was lost. */
export function sweepStoredRows({
  records,
  objects,
}: {
  readonly records: Pick<Records, 'jobParts'>;
  readonly objects: Pick<ObjectStore, 'uploaded' | 'removeVersions'>;
}): MaintenanceTask {
  return {
    name: 'sweep of stored parts',
    everyMs,
    async run(signal) {
      let objectsRemoved = 0;
      for await (const listed of objects.uploaded(storedPrefix)) {
        // Others may keep objects in the bucket, too.
        const page = listed.filter(({ key }) => attemptOf(key));
        const attempts = page.map(({ key }) => attemptOf(key)!);
        const current = await records.jobParts.current(attempts);
        const used = new Set(current.map(({ jobId, attempt }) => `${jobId}-${attempt}`));
        const unused = page.filter((_, i) => {
          const { jobId, attempt } = attempts[i]!;
          return !used.has(`${jobId}-${attempt}`);
        });
        objectsRemoved += (await objects.removeVersions(unused, signal)).length;
      }
      // Afterwards, as when a job ends: a part is recorded as long as its rows are stored.
      return { objects: objectsRemoved, parts: await records.jobParts.prune() };
    },
  };
}
