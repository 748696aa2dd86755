import type { Records } from '../../records/records.ts';
import type { MaintenanceTask } from './maintenance.ts';

const everyMs = 10 * 60 * 1000;

/** Notes what each partner stores. Several processes may do it: the most counts. */
export function sampleUsage(records: Records): MaintenanceTask {
  return {
    name: 'sample usage',
    everyMs,
    async run() {
      await records.usage.sample();
      return {};
    },
  };
}
