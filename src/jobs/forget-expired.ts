import type { Records } from '../records/records.ts';
import type { MaintenanceTask } from './maintenance.ts';

const everyMs = 10 * 60 * 1000;
const rejectDays = 30;
const idempotencyHours = 24;

/** Forgets what is kept for a time only: rejected rows, and the answers to idempotency keys. */
export function forgetExpired({
  importRejects,
  idempotency,
}: Pick<Records, 'importRejects' | 'idempotency'>): MaintenanceTask {
  return {
    name: 'forgetting what has expired',
    everyMs,
    async run() {
      return {
        rejects: await importRejects.prune(rejectDays),
        idempotencyKeys: await idempotency.prune(idempotencyHours),
      };
    },
  };
}
